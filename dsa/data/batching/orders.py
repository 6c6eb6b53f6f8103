"""Sorts training rows by length and distributes the labels evenly over batches."""

import math

import numpy as np

BATCHES_PER_GROUP = 20


def sort_by_length(
    order: np.ndarray, lengths: np.ndarray, labels: np.ndarray, batch_size: int
) -> np.ndarray:
    """Sorts rows so that the rows of a batch have similar lengths.

    Rows are sorted by premise length and divided into groups of 20 batches. Within a
    group, the rows of each label are sorted by hypothesis length and distributed
    proportionally over the batches.

    Args:
        order: rows in random order, `(N,)`.
        lengths: number of tokens of each sentence of these rows, `(N, T)`.
        labels: label or score of these rows, `(N,)`.
        batch_size: rows per batch.

    Returns: the sorted rows, int array `(N,)`.
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
    """Sorts rows so that the rows of each premise are adjacent.

    Each batch contains few premises. The premises of a batch have similar lengths, and
    so do the hypotheses. The algorithm is `sort_by_length`, applied to premises instead
    of rows. The number of groups is about the number of batches per group. Premises are
    distributed by their label counts, so batches also have similar numbers of premises.
    The rows of a premise may be divided between two batches.

    Args:
        order, lengths, labels, batch_size: as in `sort_by_length`.
        premises: premise id of each row, `(N,)`.

    Returns: the sorted rows, int array `(N,)`.
    """
    _, first, inverse, counts = np.unique(
        premises, return_index=True, return_inverse=True, return_counts=True
    )
    by_premise = np.argsort(inverse, kind="stable")
    starts = np.cumsum(counts) - counts
    max_hypothesis_lengths = np.maximum.reduceat(lengths[by_premise, 1], starts)
    label_count_ids = _number_label_counts(inverse, labels)
    # premises by length; premises of equal length in random order
    by_length = np.lexsort((first, lengths[first, 0]))
    previous_rows = np.cumsum(counts[by_length]) - counts[by_length]
    batches_per_group = max(1, math.isqrt(len(order) // batch_size))
    groups = previous_rows // (batches_per_group * batch_size)
    distributed = _distribute(
        groups, label_count_ids[by_length], max_hypothesis_lengths[by_length]
    )
    return order[gather_premises(inverse, by_length[distributed])]


def keep_premises_together(premises: np.ndarray) -> np.ndarray:
    """Returns positions of rows, `(N,)`, so that the rows of each premise are
    adjacent.

    The order of the premises is the order of their first rows.

    Args:
        premises: premise id of each row, `(N,)`.
    """
    _, first, inverse = np.unique(premises, return_index=True, return_inverse=True)
    return gather_premises(inverse, np.argsort(first))


def gather_premises(premises: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Returns positions of rows, `(N,)`, in a given order of their premises.

    Args:
        premises: premise of each row, from 0 to P - 1, `(N,)`.
        order: a permutation of the premises, `(P,)`.
    """
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return np.argsort(rank[premises], kind="stable")


def _number_label_counts(premises, labels):
    """Returns an integer for each premise, `(P,)`. Premises with the same label counts
    have the same integer."""
    distinct, label_ids = np.unique(np.rint(labels), return_inverse=True)
    num_labels = len(distinct)
    num_cells = (premises.max() + 1) * num_labels
    counts = np.bincount(premises * num_labels + label_ids, minlength=num_cells)
    counts = counts.reshape(-1, num_labels)  # (premises, labels)
    _, inverse = np.unique(counts, axis=0, return_inverse=True)
    return inverse.ravel()


def _distribute(groups, labels, keys):
    """Returns positions, `(N,)`, sorted by group. Within a group, the positions of each
    label are sorted by key and distributed proportionally over the group."""
    ranked = np.lexsort((keys, labels, groups))
    group = groups[ranked]
    is_new = (np.diff(group) != 0) | (np.diff(labels[ranked]) != 0)
    starts = np.flatnonzero(np.concatenate([[True], is_new]))
    counts = np.diff(np.append(starts, len(ranked)))
    # rank among the positions of the same group and label, from 0 to 1
    relative_rank = np.arange(len(ranked)) - np.repeat(starts, counts) + 0.5
    relative_rank /= np.repeat(counts, counts)
    return ranked[np.lexsort((relative_rank, group))]
