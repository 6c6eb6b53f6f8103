"""Splits off dev and test such that texts do not occur in several splits."""

import warnings
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dsa.errors import InputError

SEED = 13
MIN_ROWS = 3  # of a label; rarer labels stay in train if rows are not grouped
MAX_GROUPS = 50_000  # more groups are drawn without regard to labels


def hold_out(
    splits: Sequence[str | None],
    texts: Sequence[tuple[str, ...]],
    kinds: np.ndarray,
    shares: dict[str, float],
) -> tuple[np.ndarray, str]:
    """Assigns rows to train, dev and test.

    Rows with a split keep it. Dev and test without rows are drawn from all other rows:
    groups of rows with common texts, with about equal shares of each label.

    Args:
        splits: the split of each row, `None` if it has none.
        texts: the texts of each row.
        kinds: label of each row as an integer, `(N,)`.
        shares: `{"test" and "dev": share of all rows}`.

    Returns: the split of each row, and a description of the groups.

    Raises: `InputError` if a split has a single label.
    """
    result = np.array([split or "train" for split in splits])
    groups, description = _group_rows(texts, min(shares.values()))
    drawn = [split for split in shares if not (result == split).any()]
    left = 1.0
    for split in drawn:
        rows = np.flatnonzero(result == "train")
        result[rows[_draw(kinds[rows], groups[rows], shares[split] / left)]] = split
        left -= shares[split]
    for split in ("train", "dev", "test"):
        labels = len(set(kinds[result == split].tolist()))
        if labels < 2:
            raise InputError(
                f"{split} would have {(result == split).sum()} rows with {labels} "
                "distinct labels, expected at least 2: too few rows, labels or "
                "distinct texts to split"
            )
    if not drawn:
        description = "as in the files"
    return result, description


def _group_rows(texts, share):
    """Returns a group id for each row, `(N,)`, and a description.

    The rows of a group share a text, else the first text, else all texts: the first of
    these groupings whose largest group has at most a share of the rows.
    """
    pairs = len(texts[0]) > 1
    by_any = _connect(texts)
    by_first = _number(row[0] for row in texts)
    choices = [
        (by_any, "no text occurs in two splits"),
        (by_first, "no first text of a pair occurs in two splits"),
        (_number(texts), "rows with equal texts are in the same split"),
    ]
    for groups, description in choices[:2] if pairs else ():
        if np.bincount(groups).max() <= share * len(texts):
            return groups, description
    return choices[2] if pairs else choices[0]


def _connect(texts):
    """Returns the connected component of each row; rows are connected by texts."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    numbers = _number(text for row in texts for text in row)
    ends = numbers.reshape(len(texts), -1)
    nodes = numbers.max() + 1
    edges = (np.ones(len(ends)), (ends[:, 0], ends[:, -1]))
    _, components = connected_components(coo_array(edges, shape=(nodes, nodes)))
    return components[ends[:, 0]]


def _number(values):
    """Returns the position of each value among the distinct values."""
    positions: dict = {}
    return np.array([positions.setdefault(value, len(positions)) for value in values])


def _draw(kinds, groups, share):
    """Returns the positions of about a share of the rows."""
    from sklearn.model_selection import (
        GroupShuffleSplit,
        StratifiedGroupKFold,
        StratifiedShuffleSplit,
    )

    distinct, rows = len(np.unique(groups)), np.arange(len(kinds))
    if distinct == len(groups):
        counts = Counter(kinds.tolist())
        rows = rows[[counts[kind] >= MIN_ROWS for kind in kinds.tolist()]]
        labels = len(set(kinds[rows].tolist()))
        count = max(round(share * len(kinds)), labels)
        splitter = StratifiedShuffleSplit(1, test_size=count, random_state=SEED)
    elif distinct > MAX_GROUPS:
        splitter = GroupShuffleSplit(1, test_size=share, random_state=SEED)
    else:
        folds = max(2, round(1 / share))
        splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels rarer than folds
        try:
            _, drawn = next(splitter.split(rows, kinds[rows], groups[rows]))
        except ValueError as error:
            raise InputError(f"too few rows to split: {error}") from error
    return rows[drawn]
