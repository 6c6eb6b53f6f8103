"""Selection of dev and test such that no text occurs in several splits."""

import warnings
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dsa.errors import InputError

SEED = 13
MIN_ROWS = 3  # labels with fewer rows stay in train if rows are not grouped
MAX_GROUPS = 50_000  # with more groups, splits are not stratified by label


def hold_out(
    splits: Sequence[str | None],
    texts: Sequence[tuple[str, ...]],
    class_ids: np.ndarray,
    shares: dict[str, float],
) -> tuple[np.ndarray, str]:
    """Assigns rows to train, dev and test.

    The split of a row in the files is unchanged. If no row of the files is in dev or
    test, groups of rows with shared texts are drawn from train, stratified by label.

    Args:
        splits: split of each row in the files, or `None`.
        texts: texts of each row.
        class_ids: label of each row as an integer, `(N,)`.
        shares: share of all rows for the splits "test" and "dev".

    Returns: the split of each row, and a description of the grouping.

    Raises: `InputError` if a split has fewer than two labels.
    """
    result = np.array([split or "train" for split in splits])
    groups, description = _group_rows(texts, min(shares.values()))
    missing = [split for split in shares if not (result == split).any()]
    remaining = 1.0  # share of the rows
    for split in missing:
        rows = np.flatnonzero(result == "train")
        drawn = _draw(class_ids[rows], groups[rows], shares[split] / remaining)
        result[rows[drawn]] = split
        remaining -= shares[split]
    for split in ("train", "dev", "test"):
        in_split = result == split
        labels = len(set(class_ids[in_split].tolist()))
        if labels < 2:
            raise InputError(
                f"{split} would have {in_split.sum()} rows with {labels} distinct "
                "labels, expected at least 2: too few rows, labels or distinct texts "
                "to split"
            )
    if not missing:
        description = "as in the files"
    return result, description


def _group_rows(texts, share):
    """Returns a group id for each row, `(N,)`, and a description of the grouping.

    The rows of a group share any text. If a group has more than `share` of the rows,
    pairs are grouped by their first text, and otherwise by both texts.
    """
    by_any_text = _connect(texts)
    max_rows = share * len(texts)
    is_pair = len(texts[0]) > 1
    if not is_pair or np.bincount(by_any_text).max() <= max_rows:
        return by_any_text, "no text occurs in two splits"
    by_first_text = _number(row[0] for row in texts)
    if np.bincount(by_first_text).max() <= max_rows:
        return by_first_text, "no first text of a pair occurs in two splits"
    return _number(texts), "rows with equal texts are in the same split"


def _connect(texts):
    """Returns the connected component of each row, `(N,)`. Rows that share a text are
    connected."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    numbers = _number(text for row in texts for text in row)
    ends = numbers.reshape(len(texts), -1)
    nodes = numbers.max() + 1
    edges = (np.ones(len(ends)), (ends[:, 0], ends[:, -1]))
    _, components = connected_components(coo_array(edges, shape=(nodes, nodes)))
    return components[ends[:, 0]]


def _number(values):
    """Returns an integer for each value, which is equal for equal values."""
    positions: dict = {}
    return np.array([positions.setdefault(value, len(positions)) for value in values])


def _draw(class_ids, groups, share):
    """Returns the positions of a random sample of about `share` of the rows. The rows
    of a group are not separated."""
    from sklearn.model_selection import (
        GroupShuffleSplit,
        StratifiedGroupKFold,
        StratifiedShuffleSplit,
    )

    distinct, rows = len(np.unique(groups)), np.arange(len(class_ids))
    if distinct == len(groups):  # each row is a group
        counts = Counter(class_ids.tolist())
        rows = rows[[counts[label] >= MIN_ROWS for label in class_ids.tolist()]]
        labels = len(set(class_ids[rows].tolist()))
        count = max(round(share * len(class_ids)), labels)
        splitter = StratifiedShuffleSplit(1, test_size=count, random_state=SEED)
    elif distinct > MAX_GROUPS:
        splitter = GroupShuffleSplit(1, test_size=share, random_state=SEED)
    else:
        folds = max(2, round(1 / share))
        splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels rarer than folds
        try:
            _, drawn = next(splitter.split(rows, class_ids[rows], groups[rows]))
        except ValueError as error:
            raise InputError(f"too few rows to split: {error}") from error
    return rows[drawn]
