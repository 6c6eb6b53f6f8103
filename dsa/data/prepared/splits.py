"""Splits the rows of a file: cross-validation folds, and a held-out dev split."""

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dsa.errors import InputError

SHARE_TOLERANCE = 0.05  # largest difference between the share of dev and `dev_share`


@dataclasses.dataclass(frozen=True)
class SplitPlan:
    """Settings of `split_rows`."""

    file: str  # name of the file for error messages
    seed: int  # seed of the random splits
    describe_label: Callable[[Any], str]  # `Task.describe`, for error messages
    dev_share: float | None = None  # share of the rows that are held out as dev
    dev_from: str = "train"  # split from which dev is held out, "train" or "test"
    folds: int | None = None  # number of cross-validation folds
    fold: int = 0  # test fold, counted from 0
    select_on_test: bool = False  # whether the test fold is also dev
    by_text: bool = False  # whether rows with the same first text share a split


def split_rows(
    plan: SplitPlan, labels: np.ndarray, text_ids: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Divides rows into train, dev and test: a cross-validation fold, a held-out dev
    split, or both.

    By text, the held-out split is one of n parts of similar size, n = 1 / `dev_share`,
    rounded. Each text is in one part.

    Args:
        plan: a plan with `folds` or `dev_share`.
        labels: label id or score of each row, `(N,)`; negative for unlabelled rows,
            which are in no split. Scores are rounded to integers.
            Rare scores are merged with neighbouring scores for stratification.
        text_ids: id of the first text of each row, `(N,)`; required for `by_text`.

    Returns: `{split: int array}`: the row positions of each split, in file order.
        Splits are stratified by label. They are disjoint unless `select_on_test`.

    Raises: `InputError` if a label has fewer rows than folds. For a held-out split,
        also if a label has fewer than two rows, or by text, if every label has fewer
        than n rows, or `dev_share` differs from 1/n by more than 0.05. By text, also if
        there are fewer distinct texts than folds or parts. `ValueError` if `text_ids`
        are missing for `by_text`.
    """
    rows = np.flatnonzero(labels >= 0)
    class_ids = np.rint(labels[rows]).astype(int)
    has_scores = labels.dtype.kind == "f"
    if has_scores:
        class_ids = _merge_rare_scores(class_ids, plan.folds or 2)
    if not plan.by_text:
        text_ids = None
    elif text_ids is None:
        raise ValueError("`text_ids` are required for a plan with `by_text`")
    else:
        text_ids = text_ids[rows]
    if plan.dev_from == "test":
        remaining, dev = _hold_out(class_ids, text_ids, plan)
        return {"dev": rows[dev], "test": rows[remaining]}
    splits = {}
    if plan.folds:
        remaining, test = _select_fold(class_ids, text_ids, plan)
        splits["test"] = rows[test]
        rows = rows[remaining]
        class_ids = class_ids[remaining]
        if text_ids is not None:
            text_ids = text_ids[remaining]
    if plan.select_on_test:
        splits["dev"] = splits["test"]
    elif plan.dev_share:
        if has_scores:  # without the rows of the fold, a score can be rare
            class_ids = _merge_rare_scores(class_ids, 2)
        remaining, dev = _hold_out(class_ids, text_ids, plan)
        splits["dev"] = rows[dev]
        rows = rows[remaining]
    return {"train": rows, **splits}


def _merge_rare_scores(scores, minimum):
    """Merges neighbouring scores into classes of at least `minimum` rows, if possible.

    Returns: the class of each row, which is the lowest score of the class.
    """
    starts, size = [], minimum  # lowest score of each class, size of the last class
    for score, count in zip(*np.unique(scores, return_counts=True), strict=True):
        if size >= minimum:
            starts.append(score)
            size = 0
        size += count
    if size < minimum and len(starts) > 1:
        starts.pop()  # merges the last class with the preceding class
    return np.array(starts, int)[np.searchsorted(starts, scores, side="right") - 1]


def _select_fold(class_ids, text_ids, plan):
    """Returns two arrays of positions: the rows outside the fold of the plan, and the
    rows of this fold."""
    from sklearn.model_selection import StratifiedKFold

    purpose = f"for {plan.folds} folds"
    check_label_counts(plan.file, class_ids, plan.folds, purpose, plan.describe_label)
    if text_ids is not None:
        return _split_by_text(class_ids, text_ids, plan.folds, plan)[plan.fold]
    cv = StratifiedKFold(plan.folds, shuffle=True, random_state=plan.seed)
    return list(cv.split(class_ids, class_ids))[plan.fold]


def _split_by_text(class_ids, text_ids, num_folds, plan):
    """Returns two arrays of positions for each fold: the rows outside the fold, and the
    rows of the fold. Rows with the same text are in the same fold."""
    from sklearn.model_selection import StratifiedGroupKFold

    num_texts = len(np.unique(text_ids))
    if num_texts < num_folds:
        raise InputError(
            f"{plan.file}: a split by text requires at least {num_folds} distinct "
            f"first texts. Received: {num_texts}"
        )
    largest_count = max(np.bincount(class_ids))
    if largest_count < num_folds:
        raise InputError(
            f"{plan.file}: a split by text into {num_folds} parts requires a label "
            f"with at least {num_folds} rows. Received: {largest_count}"
        )
    cv = StratifiedGroupKFold(num_folds, shuffle=True, random_state=plan.seed)
    with warnings.catch_warnings():
        # scikit-learn warns if a label has fewer rows than folds
        warnings.simplefilter("ignore", UserWarning)
        return list(cv.split(class_ids, class_ids, text_ids))


def _hold_out(class_ids, text_ids, plan):
    """Returns two arrays of positions: the remaining rows, and the held-out rows.

    Both contain at least one row of each label, unless rows are split by text.
    """
    if text_ids is not None:
        num_parts = max(2, round(1 / plan.dev_share))
        if abs(plan.dev_share - 1 / num_parts) > SHARE_TOLERANCE:
            raise InputError(
                "with 'data.split_by_text', 'data.dev_share' must be near 1/2, 1/3, "
                f"1/4, ... Received: {plan.dev_share}, which would be rounded to "
                f"1/{num_parts}"
            )
        return _split_by_text(class_ids, text_ids, num_parts, plan)[0]
    check_label_counts(plan.file, class_ids, 2, "to hold one out", plan.describe_label)
    random = np.random.default_rng(plan.seed)
    is_held_out = np.zeros(len(class_ids), bool)
    for class_id in np.unique(class_ids):
        rows = np.flatnonzero(class_ids == class_id)
        num_rows = min(max(1, round(plan.dev_share * len(rows))), len(rows) - 1)
        is_held_out[random.choice(rows, num_rows, replace=False)] = True
    return np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)


def check_label_counts(
    name: Any,
    labels: Sequence | np.ndarray,
    minimum: int,
    purpose: str,
    describe_label: Callable[[Any], str],
) -> None:
    """Raises `InputError` if a label has fewer than `minimum` rows.

    Args:
        name: file name for the error message.
        labels: labels of the rows, `(N,)`.
        minimum: required number of rows per label.
        purpose: purpose of the requirement for the error message, such as "for 10
            folds".
        describe_label: function that returns the name of a label.

    Raises: `InputError` if a label has fewer rows, or if there are no rows.
    """
    expected = f"{name}: expected at least {minimum} rows of each label {purpose}"
    if not len(labels):
        raise InputError(f"{expected}. Received: 0 rows")
    distinct_labels, counts = np.unique(labels, return_counts=True)
    rarest = np.argmin(counts)
    if counts[rarest] < minimum:
        label = describe_label(distinct_labels[rarest])
        raise InputError(f"{expected}. Received: {counts[rarest]} of {label}")
