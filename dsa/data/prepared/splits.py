"""Divides a file into splits: cross-validation folds, and a held-out dev split."""

import dataclasses
import warnings

import numpy as np

from dsa.errors import InputError


@dataclasses.dataclass(frozen=True)
class SplitPlan:
    """Settings for dividing the rows of a file into splits."""

    file: str  # name of the file for error messages
    seed: int  # seed of the random division
    dev_share: float | None = None  # share of the rows to hold out as dev
    dev_from: str = "train"  # split from which dev is taken, "train" or "test"
    folds: int | None = None  # number of cross-validation folds
    fold: int = 0  # test fold, counted from 0
    select_on_test: bool = False  # whether the test fold is also dev
    by_text: bool = False  # whether rows with the same first text share a split


def split_rows(plan, labels, text_ids=None):
    """Returns the rows of each split of a plan with `folds` or `dev_share`.

    Args:
        plan: a `SplitPlan`.
        labels: label id or score of each row, `(N,)`; negative if unlabelled. Scores
            are rounded to integers.
        text_ids: id of the first text of each row, `(N,)`; required for `by_text`.

    Returns: `{split: int array}` with the row positions of each split in file order.
        Splits are stratified by label. They are disjoint unless `select_on_test`.

    Raises: `InputError` if a label has fewer rows than folds or fewer than two rows, or
        if there are fewer distinct texts than folds.
    """
    rows = np.flatnonzero(labels >= 0)
    class_ids = np.rint(labels[rows]).astype(int)
    text_ids = text_ids[rows] if text_ids is not None and plan.by_text else None
    if plan.dev_from == "test":
        remaining, dev = _hold_out(class_ids, text_ids, plan)
        return {"dev": rows[dev], "test": rows[remaining]}
    splits = {}
    if plan.folds:
        remaining, test = _select_fold(class_ids, text_ids, plan)
        splits["test"] = rows[test]
        rows, class_ids = rows[remaining], class_ids[remaining]
        text_ids = None if text_ids is None else text_ids[remaining]
    if plan.select_on_test:
        splits["dev"] = splits["test"]
    elif plan.dev_share:
        remaining, dev = _hold_out(class_ids, text_ids, plan)
        splits["dev"] = rows[dev]
        rows = rows[remaining]
    return {"train": rows, **splits}


def _select_fold(class_ids, text_ids, plan):
    """Returns the positions of all other folds, and of the fold of the plan."""
    from sklearn.model_selection import StratifiedKFold

    check_rare_labels(plan.file, class_ids, plan.folds, f"for {plan.folds} folds")
    if text_ids is not None:
        return _list_text_folds(class_ids, text_ids, plan.folds, plan)[plan.fold]
    folds = StratifiedKFold(plan.folds, shuffle=True, random_state=plan.seed)
    return list(folds.split(class_ids, class_ids))[plan.fold]


def _list_text_folds(class_ids, text_ids, count, plan):
    """Returns, for each fold, the positions of all other folds and of the fold. Rows
    with the same text are in the same fold."""
    from sklearn.model_selection import StratifiedGroupKFold

    distinct = len(np.unique(text_ids))
    if distinct < count:
        raise InputError(
            f"{plan.file}: {distinct} distinct first texts, expected at least {count} "
            "to split by text"
        )
    folds = StratifiedGroupKFold(count, shuffle=True, random_state=plan.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels rarer than folds
        return list(folds.split(class_ids, class_ids, text_ids))


def _hold_out(class_ids, text_ids, plan):
    """Returns the positions of the remaining rows, and of the held-out rows. Both
    contain at least one row of each label, unless rows are split by text."""
    if text_ids is not None:
        count = max(2, round(1 / plan.dev_share))
        return _list_text_folds(class_ids, text_ids, count, plan)[0]
    check_rare_labels(plan.file, class_ids, 2, "to hold one out")
    random = np.random.default_rng(plan.seed)
    is_held_out = np.zeros(len(class_ids), bool)
    for class_id in np.unique(class_ids):
        rows = np.flatnonzero(class_ids == class_id)
        count = min(max(1, round(plan.dev_share * len(rows))), len(rows) - 1)
        is_held_out[random.choice(rows, count, replace=False)] = True
    return np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)


def check_rare_labels(name, labels, minimum, purpose):
    """Checks the number of rows of the rarest label.

    Args:
        name: name of the file for the error message.
        labels: labels of the rows, `(N,)`.
        minimum: required number of rows of each label.
        purpose: purpose of the requirement, such as "for 10 folds", for the message.

    Raises: `InputError` if a label has fewer rows, or if there are no rows.
    """
    _, counts = np.unique(labels, return_counts=True)
    rarest = min(counts, default=0)
    if rarest < minimum:
        raise InputError(
            f"{name}: expected at least {minimum} rows of each label {purpose}. "
            f"Received: {rarest}"
        )
