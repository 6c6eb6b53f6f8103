"""Orders of training rows by length, with labels distributed evenly."""

import math

import numpy as np

BATCHES_PER_GROUP = 20


def sort_by_length(
    order: np.ndarray, lengths: np.ndarray, labels: np.ndarray, batch_size: int
) -> np.ndarray:
    """Returns rows, `(N,)`, in an order in which batches have similar lengths.

    Rows are sorted by premise length and divided into groups of 20 batches. Within a
    group, the rows of each label are sorted by hypothesis length and distributed
    proportionally over the batches.

    Args:
        order: rows in random order, `(N,)`.
        lengths: number of tokens of each sentence, `(N, T)`.
        labels: labels or scores, `(N,)`.
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
    """Returns rows, `(N,)`, with the rows of each premise adjacent, so that batches
    have few premises of similar length, and hypotheses of similar length.

    Works like `sort_by_length`, applied to premises with all their rows. There are as
    many groups as batches per group, because premises have fewer tokens in total than
    hypotheses. Premises are distributed by the combination of their labels, so that
    batches also have similar numbers of premises. The rows of a premise may be divided
    between two batches.

    Args:
        premises: premise ids of the rows, `(N,)`.
        order, lengths, labels: as in `sort_by_length`.
    """
    _, first, inverse, counts = np.unique(
        premises, return_index=True, return_inverse=True, return_counts=True
    )
    by_premise = np.argsort(inverse, kind="stable")
    starts = np.cumsum(counts) - counts
    longest = np.maximum.reduceat(lengths[by_premise, 1], starts)
    kinds = _number_label_sets(inverse, labels)
    # premises by length; premises of equal length in random order
    shortest = np.lexsort((first, lengths[first, 0]))
    before = np.cumsum(counts[shortest]) - counts[shortest]
    batches_per_group = math.isqrt(len(order) // batch_size) or 1
    groups = before // (batches_per_group * batch_size)
    dealt = shortest[_deal(groups, kinds[shortest], longest[shortest])]
    return order[gather_premises(inverse, dealt)]


def keep_premises_together(premises: np.ndarray) -> np.ndarray:
    """Returns positions, `(N,)`, with equal premises adjacent, in the order of their
    first occurrence in `premises`, `(N,)`."""
    _, first, inverse = np.unique(premises, return_index=True, return_inverse=True)
    return gather_premises(inverse, np.argsort(first))


def gather_premises(premises: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Returns positions of rows, `(N,)`, sorted by a given order of premises.

    Args:
        premises: premise of each row, from 0 to P - 1, `(N,)`.
        order: a permutation of the premises, `(P,)`.
    """
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return np.argsort(rank[premises], kind="stable")


def _number_label_sets(premises, labels):
    """Returns a number for each premise, `(P,)`, equal for premises with the same label
    counts."""
    distinct, label = np.unique(np.rint(labels), return_inverse=True)
    size = len(distinct)
    cells = (premises.max() + 1) * size
    table = np.bincount(premises * size + label, minlength=cells).reshape(-1, size)
    return np.unique(table, axis=0, return_inverse=True)[1].ravel()


def _deal(groups, kinds, by):
    """Returns positions, `(N,)`, by group. Within a group, each kind is sorted by `by`
    and distributed proportionally."""
    ranked = np.lexsort((by, kinds, groups))
    group, kind = groups[ranked], kinds[ranked]
    is_new = (np.diff(group) != 0) | (np.diff(kind) != 0)
    starts = np.flatnonzero(np.concatenate([[True], is_new]))
    counts = np.diff(np.append(starts, len(ranked)))
    # relative position within group and kind, from 0 to 1
    place = np.arange(len(ranked)) - np.repeat(starts, counts) + 0.5
    place /= np.repeat(counts, counts)
    return ranked[np.lexsort((place, group))]
