"""Orders of training rows by length, with evenly distributed labels."""

import math

import numpy as np

BATCHES_PER_GROUP = 20


def sort_by_length(
    order: np.ndarray, lengths: np.ndarray, labels: np.ndarray, batch_size: int
) -> np.ndarray:
    """Returns the rows in an order in which the rows of a batch have similar lengths.

    Rows are sorted by premise length and divided into groups of 20 batches. Within a
    group, the rows of each label are sorted by hypothesis length and distributed
    proportionally over the batches.

    Args:
        order: rows in random order, `(N,)`.
        lengths: number of tokens of each sentence of these rows, `(N, T)`.
        labels: label or score of these rows, `(N,)`.
        batch_size: rows per batch.

    Returns: int array `(N,)`.
    """
    premise_lengths = lengths[:, 0]
    hypothesis_lengths = lengths[:, min(1, lengths.shape[1] - 1)]
    by_premise = np.argsort(premise_lengths, kind="stable")
    groups = np.arange(len(order)) // (BATCHES_PER_GROUP * batch_size)
    distributed = _distribute(
        groups, np.rint(labels[by_premise]), hypothesis_lengths[by_premise]
    )
    return order[by_premise[distributed]]


def sort_premises_together(
    order: np.ndarray,
    premises: np.ndarray,
    lengths: np.ndarray,
    labels: np.ndarray,
    batch_size: int,
) -> np.ndarray:
    """Returns the rows in an order in which the rows of each premise are adjacent.

    The batches contain few premises of similar length, and hypotheses of similar
    length. The algorithm is `sort_by_length`, applied to premises with all their rows.
    There are as many groups as batches per group, because premises have fewer tokens in
    total than hypotheses. Premises are distributed by the counts of their labels, so
    that batches also have similar numbers of premises. The rows of a premise may be
    divided between two batches.

    Args:
        premises: premise id of each row, `(N,)`.
        order, lengths, labels, batch_size: as in `sort_by_length`.

    Returns: int array `(N,)`.
    """
    _, first, inverse, counts = np.unique(
        premises, return_index=True, return_inverse=True, return_counts=True
    )
    by_premise = np.argsort(inverse, kind="stable")
    starts = np.cumsum(counts) - counts
    longest_hypothesis = np.maximum.reduceat(lengths[by_premise, 1], starts)
    label_sets = _number_label_sets(inverse, labels)
    # premises by length; premises of equal length in random order
    by_length = np.lexsort((first, lengths[first, 0]))
    previous_rows = np.cumsum(counts[by_length]) - counts[by_length]
    batches_per_group = max(1, math.isqrt(len(order) // batch_size))
    groups = previous_rows // (batches_per_group * batch_size)
    distributed = _distribute(
        groups, label_sets[by_length], longest_hypothesis[by_length]
    )
    return order[gather_premises(inverse, by_length[distributed])]


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
    """Returns an integer for each premise, `(P,)`, which is equal for premises with the
    same label counts."""
    distinct, label = np.unique(np.rint(labels), return_inverse=True)
    size = len(distinct)
    cells = (premises.max() + 1) * size
    table = np.bincount(premises * size + label, minlength=cells).reshape(-1, size)
    return np.unique(table, axis=0, return_inverse=True)[1].ravel()


def _distribute(groups, labels, keys):
    """Returns positions, `(N,)`, sorted by group. Within a group, the positions of each
    label are sorted by their keys and distributed proportionally."""
    ranked = np.lexsort((keys, labels, groups))
    group, label = groups[ranked], labels[ranked]
    is_new = (np.diff(group) != 0) | (np.diff(label) != 0)
    starts = np.flatnonzero(np.concatenate([[True], is_new]))
    counts = np.diff(np.append(starts, len(ranked)))
    # rank within group and label, divided by the count: from 0 to 1
    relative_rank = np.arange(len(ranked)) - np.repeat(starts, counts) + 0.5
    relative_rank /= np.repeat(counts, counts)
    return ranked[np.lexsort((relative_rank, group))]
