"""Orders of training rows: similar lengths together, labels spread evenly."""

import math

import numpy as np

BATCHES_PER_GROUP = 20


def sort_by_length(
    order: np.ndarray, lengths: np.ndarray, labels: np.ndarray, batch_size: int
) -> np.ndarray:
    """Returns rows, `(N,)`, so that batches of them hold similar lengths.

    They are sorted by the premise and cut into groups of 20 batches. Inside a group the
    rows of each label are sorted by the hypothesis and dealt to the batches in
    proportion.

    Args:
        order: rows in a random order, `(N,)`.
        lengths: tokens of the sentences of these rows, `(N, T)`.
        labels: their labels or scores, `(N,)`.
    """
    premise, hypothesis = lengths[:, 0], lengths[:, :2][:, -1]
    by_premise = np.argsort(premise, kind="stable")
    groups = np.arange(len(order)) // (BATCHES_PER_GROUP * batch_size)
    dealt = _deal(groups, np.rint(labels[by_premise]), hypothesis[by_premise])
    return order[by_premise[dealt]]


def sort_premises_together(
    order: np.ndarray,
    premises: np.ndarray,
    lengths: np.ndarray,
    labels: np.ndarray,
    batch_size: int,
) -> np.ndarray:
    """Returns rows, `(N,)`, with those of one premise one after the other, so that
    batches of them hold few premises, of almost one length, and similar hypotheses.

    As `sort_by_length`, but of premises with all their rows, and there are as many
    groups as batches in a group: premises are the smaller part of the tokens. What is
    dealt in proportion is the labels that the rows of a premise have together: so
    batches have nearly the same number of premises, too. The rows of a premise can be
    cut by the end of a batch.

    Args:
        premises: the premise of each of these rows, as a number, `(N,)`.
        others: as `sort_by_length`.
    """
    _, first, inverse, counts = np.unique(
        premises, return_index=True, return_inverse=True, return_counts=True
    )
    by_premise = np.argsort(inverse, kind="stable")
    starts = np.cumsum(counts) - counts
    longest = np.maximum.reduceat(lengths[by_premise, 1], starts)
    kinds = _number_label_sets(inverse, labels)
    # premises from here on: the shortest first, those of one length in random order
    shortest = np.lexsort((first, lengths[first, 0]))
    before = np.cumsum(counts[shortest]) - counts[shortest]
    batches_per_group = math.isqrt(len(order) // batch_size) or 1
    groups = before // (batches_per_group * batch_size)
    dealt = shortest[_deal(groups, kinds[shortest], longest[shortest])]
    return order[gather_premises(inverse, dealt)]


def keep_premises_together(premises: np.ndarray) -> np.ndarray:
    """Returns positions, `(N,)`, with those of one premise one after the other; the
    premises in the order in which they first occur in `premises`, `(N,)`."""
    _, first, inverse = np.unique(premises, return_index=True, return_inverse=True)
    return gather_premises(inverse, np.argsort(first))


def gather_premises(premises: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Returns positions of rows, `(N,)`, by the order of their premises.

    Args:
        premises: the premise of each row, from 0 to P - 1, `(N,)`.
        order: all premises in some order, `(P,)`.
    """
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return np.argsort(rank[premises], kind="stable")


def _number_label_sets(premises, labels):
    """One number for each premise, equal for premises whose rows have the same labels
    equally often, `(P,)`."""
    distinct, label = np.unique(np.rint(labels), return_inverse=True)
    size = len(distinct)
    cells = (premises.max() + 1) * size
    table = np.bincount(premises * size + label, minlength=cells).reshape(-1, size)
    return np.unique(table, axis=0, return_inverse=True)[1].ravel()


def _deal(groups, kinds, by):
    """The positions of N things, `(N,)`: group after group, and in each group the
    things of each kind, sorted by a number, in proportion."""
    ranked = np.lexsort((by, kinds, groups))
    group, kind = groups[ranked], kinds[ranked]
    is_new = (np.diff(group) != 0) | (np.diff(kind) != 0)
    starts = np.flatnonzero(np.concatenate([[True], is_new]))
    counts = np.diff(np.append(starts, len(ranked)))
    # the place of each among those of its group and kind, from 0 to 1
    place = np.arange(len(ranked)) - np.repeat(starts, counts) + 0.5
    place /= np.repeat(counts, counts)
    return ranked[np.lexsort((place, group))]
