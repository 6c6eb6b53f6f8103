"""Draws dev and test so that no text occurs in several splits."""

import warnings
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dsa.errors import InputError

SEED = 13
MIN_LABEL_ROWS = 3  # labels with fewer rows stay in train if no rows share a text
MAX_GROUPS = 50_000  # with more groups, splits are not stratified by label
MAX_DENOMINATOR = 10  # of the fraction that approximates a share of 0.1 or more


def hold_out(
    splits: Sequence[str | None],
    texts: Sequence[tuple[str, ...]],
    class_ids: np.ndarray,
    shares: dict[str, float],
) -> tuple[np.ndarray, str]:
    """Assigns rows to train, dev and test.

    Rows that have a split in the files keep it. If dev or test has no rows, its rows
    are drawn from train, stratified by label. Rows that share a text are drawn together
    if possible.

    Args:
        splits: split of each row in the files; `None` for a row without a split.
        texts: texts of each row.
        class_ids: class index of each row, int array `(N,)`.
        shares: share of the rows without a split in the files to draw for "test" and
            "dev", in this order.

    Returns: the split of each row, `(N,)`, and a description of the splits.

    Raises: `InputError` if a split would have fewer than two labels, or if there are
        too few rows to draw from.
    """
    result = np.array([split or "train" for split in splits])
    groups, description = _group_rows(texts, min(shares.values()))
    missing = [split for split in shares if not (result == split).any()]
    remaining = 1.0  # share of the rows that are not yet drawn
    for split in missing:
        rows = np.flatnonzero(result == "train")
        drawn = _draw(class_ids[rows], groups[rows], shares[split] / remaining)
        result[rows[drawn]] = split
        remaining -= shares[split]
    for split in ("train", "dev", "test"):
        in_split = result == split
        num_labels = len(np.unique(class_ids[in_split]))
        if num_labels < 2:
            raise InputError(
                f"{split} would have {in_split.sum()} rows with {num_labels} distinct "
                "labels, expected at least 2: too few rows, labels or distinct texts "
                "to split"
            )
    given = [split for split in shares if split not in missing]
    if not missing:
        description = "as in the files"
    elif given:  # its rows can share texts with train
        drawn_splits = f"train and {missing[0]}"
        description = f"{given[0]} as in the files; {drawn_splits}: {description}"
    return result, description


def _group_rows(texts, share):
    """Returns a group id for each row, `(N,)`, and a description of the grouping.

    Rows with any common text are in the same group. If a group of pairs has more than
    `share` of the rows, pairs with the same first text are grouped. If such a group is
    still too large, pairs with the same texts are grouped.
    """
    by_any_text = _find_components(texts)
    max_rows = share * len(texts)
    is_pair = len(texts[0]) > 1
    if not is_pair or np.bincount(by_any_text).max() <= max_rows:
        return by_any_text, "no text occurs in two splits"
    by_first_text = _assign_ids(row[0] for row in texts)
    if np.bincount(by_first_text).max() <= max_rows:
        return by_first_text, "no first text of a pair occurs in two splits"
    return _assign_ids(texts), "rows with equal texts are in the same split"


def _find_components(texts):
    """Returns the connected component of each row, `(N,)`. Rows that share a text are
    connected."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    text_ids = _assign_ids(text for row in texts for text in row)
    text_ids = text_ids.reshape(len(texts), -1)  # (rows, texts per row)
    first, last = text_ids[:, 0], text_ids[:, -1]
    num_texts = text_ids.max() + 1
    # graph of the distinct texts, with an edge for each row
    edges = (np.ones(len(texts)), (first, last))
    graph = coo_array(edges, shape=(num_texts, num_texts))
    _, components = connected_components(graph)
    return components[first]


def _assign_ids(values):
    """Returns an integer id for each value. Equal values have the same id."""
    ids: dict = {}
    return np.array([ids.setdefault(value, len(ids)) for value in values])


def _draw(class_ids, groups, share):
    """Returns the positions of a random sample of about `share` of the rows. A group is
    drawn completely or not at all."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedShuffleSplit

    rows = np.arange(len(class_ids))
    num_groups = len(np.unique(groups))
    if MAX_GROUPS < num_groups < len(groups):
        return _draw_groups(groups, share)
    num_drawn = 1  # number of folds to draw
    if num_groups == len(groups):  # each row is a group
        counts = np.bincount(class_ids)
        rows = rows[counts[class_ids] >= MIN_LABEL_ROWS]
        num_labels = len(np.unique(class_ids[rows]))
        sample_size = max(round(share * len(class_ids)), num_labels)
        splitter = StratifiedShuffleSplit(1, test_size=sample_size, random_state=SEED)
    else:
        fraction = Fraction(1, round(1 / share))
        if share > 1 / MAX_DENOMINATOR:
            largest = 1 - Fraction(1, MAX_DENOMINATOR)
            fraction = min(Fraction(share).limit_denominator(MAX_DENOMINATOR), largest)
        num_drawn = fraction.numerator
        splitter = StratifiedGroupKFold(
            fraction.denominator, shuffle=True, random_state=SEED
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels rarer than folds
        try:
            folds = list(splitter.split(rows, class_ids[rows], groups[rows]))
        except ValueError as error:
            raise InputError(f"too few rows to split: {error}") from error
    drawn = np.concatenate([fold for _, fold in folds[:num_drawn]])
    return rows[drawn]


def _draw_groups(groups, share):
    """Returns the positions of the rows of random groups, which together have at most
    `share` of the rows."""
    ids, group_of_row, sizes = np.unique(
        groups, return_inverse=True, return_counts=True
    )
    remaining = round(share * len(groups))
    is_drawn = np.zeros(len(ids), bool)
    for group in np.random.default_rng(SEED).permutation(len(ids)):
        if sizes[group] <= remaining:
            is_drawn[group] = True
            remaining -= sizes[group]
    return np.flatnonzero(is_drawn[group_of_row])
