"""Splits of one file: folds of a cross-validation, and a share held out as dev."""

import dataclasses

import numpy as np

from dsa.errors import InputError


@dataclasses.dataclass(frozen=True)
class SplitPlan:
    """How the rows of one file are dealt to several splits."""

    file: str  # what errors call it
    seed: int  # of the draw
    dev_share: float | None = None  # of the rows, which becomes dev
    dev_from: str = "train"  # the split that gives dev its rows, or "test"
    folds: int | None = None  # of a cross-validation
    fold: int = 0  # the one that is test, from 0
    select_on_test: bool = False  # whether dev is the test fold


def split_rows(plan, labels):
    """The rows of each split of the file that is dealt to several, as a plan with
    `folds` or `dev_share` says.

    Args:
        labels: `(N,)` of the file's rows, below 0 for none; scores count as their
            nearest whole number.

    Returns: `{split: int array}` of row positions in file order. The splits share no
        row, except a dev that is the test split by `select_on_test`. Every split has
        each label in the same share.

    Raises: `InputError` for a label with fewer rows than folds, or too few to hold one
        out.
    """
    rows = np.flatnonzero(labels >= 0)
    kinds = np.rint(labels[rows]).astype(int)
    if plan.dev_from == "test":
        rest, dev = _hold_out(kinds, plan)
        return {"dev": rows[dev], "test": rows[rest]}
    splits = {}
    if plan.folds:
        rest, test = _take_fold(kinds, plan)
        splits["test"] = rows[test]
        rows, kinds = rows[rest], kinds[rest]
    if plan.select_on_test:
        splits["dev"] = splits["test"]
    elif plan.dev_share:
        rest, dev = _hold_out(kinds, plan)
        splits["dev"], rows = rows[dev], rows[rest]
    return {"train": rows, **splits}


def _take_fold(kinds, plan):
    """Positions of the other folds and of the plan's fold, both sorted."""
    from sklearn.model_selection import StratifiedKFold

    check_rare_labels(plan.file, kinds, plan.folds, "fewer than folds")
    folds = StratifiedKFold(plan.folds, shuffle=True, random_state=plan.seed)
    return list(folds.split(kinds, kinds))[plan.fold]


def _hold_out(kinds, plan):
    """Positions of the rest and of the share, both sorted: of every label at least one
    row, and never all."""
    check_rare_labels(plan.file, kinds, 2, "too few to hold one out")
    random, chosen = np.random.default_rng(plan.seed), np.zeros(len(kinds), bool)
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        count = min(max(1, round(plan.dev_share * len(rows))), len(rows) - 1)
        chosen[random.choice(rows, count, replace=False)] = True
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def check_rare_labels(name, kinds, least, problem):
    """Raises: `InputError` if one of the labels `kinds`, `(N,)`, has fewer rows than
    `least`; the file's name and what is wrong with fewer are for the message."""
    _, counts = np.unique(kinds, return_counts=True)
    rarest = min(counts, default=0)
    if rarest < least:
        raise InputError(
            f"{name}: its rarest label has {rarest} of the rows, {problem}: "
            f"{least} are needed"
        )
