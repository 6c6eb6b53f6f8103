"""Splits of a file: cross-validation folds and a held-out dev share."""

import dataclasses
import warnings

import numpy as np

from dsa.errors import InputError


@dataclasses.dataclass(frozen=True)
class SplitPlan:
    """Settings for dividing the rows of a file into splits."""

    file: str  # name for error messages
    seed: int
    dev_share: float | None = None  # share of the rows that becomes dev
    dev_from: str = "train"  # split from which dev is taken, "train" or "test"
    folds: int | None = None  # number of cross-validation folds
    fold: int = 0  # test fold, from 0
    select_on_test: bool = False  # whether the test fold is also dev
    by_text: bool = False  # whether rows with the same first text share a split


def split_rows(plan, labels, texts=None):
    """Returns the rows of each split of a plan with `folds` or `dev_share`.

    Args:
        plan: a `SplitPlan`.
        labels: labels of the file's rows, `(N,)`, negative if unlabelled. Scores are
            rounded to integers.
        texts: id of the first text of each row, `(N,)`; only needed for `by_text`.

    Returns: `{split: int array}` of row positions in file order. Splits are disjoint
        unless `select_on_test`, and stratified by label.

    Raises: `InputError` for a label with fewer rows than folds, or with fewer than two
        rows, and for fewer texts than folds.
    """
    rows = np.flatnonzero(labels >= 0)
    kinds = np.rint(labels[rows]).astype(int)
    texts = texts[rows] if texts is not None and plan.by_text else None
    if plan.dev_from == "test":
        rest, dev = _hold_out(kinds, texts, plan)
        return {"dev": rows[dev], "test": rows[rest]}
    splits = {}
    if plan.folds:
        rest, test = _take_fold(kinds, texts, plan)
        splits["test"] = rows[test]
        rows, kinds = rows[rest], kinds[rest]
        texts = None if texts is None else texts[rest]
    if plan.select_on_test:
        splits["dev"] = splits["test"]
    elif plan.dev_share:
        rest, dev = _hold_out(kinds, texts, plan)
        splits["dev"], rows = rows[dev], rows[rest]
    return {"train": rows, **splits}


def _take_fold(kinds, texts, plan):
    """Returns the positions of the other folds and of the plan's fold, both sorted."""
    from sklearn.model_selection import StratifiedKFold

    check_rare_labels(plan.file, kinds, plan.folds, "fewer than folds")
    if texts is not None:
        return _list_text_folds(kinds, texts, plan.folds, plan)[plan.fold]
    folds = StratifiedKFold(plan.folds, shuffle=True, random_state=plan.seed)
    return list(folds.split(kinds, kinds))[plan.fold]


def _list_text_folds(kinds, texts, count, plan):
    """Returns the positions of the other folds and of the fold, for each fold. The rows
    of a text are in one fold."""
    from sklearn.model_selection import StratifiedGroupKFold

    distinct = len(np.unique(texts))
    if distinct < count:
        raise InputError(
            f"{plan.file}: {distinct} distinct first texts, expected at least {count} "
            "to split by text"
        )
    folds = StratifiedGroupKFold(count, shuffle=True, random_state=plan.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels rarer than folds
        return list(folds.split(kinds, kinds, texts))


def _hold_out(kinds, texts, plan):
    """Returns the positions of the remaining rows and of the held-out rows, both
    sorted. Both contain at least one row of every label unless rows are split by
    text."""
    if texts is not None:
        count = max(2, round(1 / plan.dev_share))
        return _list_text_folds(kinds, texts, count, plan)[0]
    check_rare_labels(plan.file, kinds, 2, "too few to hold one out")
    random, chosen = np.random.default_rng(plan.seed), np.zeros(len(kinds), bool)
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        count = min(max(1, round(plan.dev_share * len(rows))), len(rows) - 1)
        chosen[random.choice(rows, count, replace=False)] = True
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def check_rare_labels(name, kinds, least, problem):
    """Raises `InputError` if a label in `kinds`, `(N,)`, has fewer than `least` rows.
    `name` and `problem` are part of the message."""
    _, counts = np.unique(kinds, return_counts=True)
    rarest = min(counts, default=0)
    if rarest < least:
        raise InputError(
            f"{name}: its rarest label has {rarest} of the rows, {problem}: "
            f"{least} are needed"
        )
