"""Splits of one file: folds of a cross-validation, and a share held out as dev."""

import numpy as np

from dsa.errors import InputError


def split_rows(config, labels):
    """The rows of each split of the file that is dealt to several.

    Args:
        config: a `DataConfig` with `folds` or `dev_share`.
        labels: `(N,)` of the rows of its file `dealt`, below 0 for none; scores count
            as their nearest whole number.

    Returns: `{split: int array}` of row positions in file order, disjoint, but for a
        dev that is the test split by `select_on_test`. Every split has each label in
        the same share.

    Raises: `InputError` for a label with fewer rows than folds, or too few to hold one
        out.
    """
    from sklearn.model_selection import StratifiedKFold

    rows, seed = np.flatnonzero(labels >= 0), config.split_seed
    kinds = np.rint(labels[rows]).astype(int)
    splits = {}
    if config.dev_from == "test":
        refuse_rare(config.test, kinds, 2, "too few to hold one out")
        rest, dev = _held_out(kinds, config.dev_share, seed)
        return {"dev": rows[dev], "test": rows[rest]}
    if config.folds:
        refuse_rare(config.train, kinds, config.folds.count, "fewer than folds")
        folds = StratifiedKFold(config.folds.count, shuffle=True, random_state=seed)
        rest, test = list(folds.split(rows, kinds))[config.folds.fold]
        splits["test"] = rows[test]
        rows, kinds = rows[rest], kinds[rest]
    if config.select_on_test:
        splits["dev"] = splits["test"]
    elif config.dev_share:
        refuse_rare(config.train, kinds, 2, "too few to hold one out")
        rest, dev = _held_out(kinds, config.dev_share, seed)
        splits["dev"], rows = rows[dev], rows[rest]
    return {"train": rows, **splits}


def _held_out(kinds, share, seed):
    """Positions of the rest and of the share, both sorted: of every label at least one
    row, and never all."""
    random, chosen = np.random.default_rng(seed), np.zeros(len(kinds), bool)
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        count = min(max(1, round(share * len(rows))), len(rows) - 1)
        chosen[random.choice(rows, count, replace=False)] = True
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def refuse_rare(name, kinds, least, problem):
    """Stop where a label has fewer rows than `least`.

    Args:
        name: of the corpus.
        kinds: `(N,)` labels.
        least: rows.
        problem: what is wrong with fewer.

    Raises: `InputError`.
    """
    _, counts = np.unique(kinds, return_counts=True)
    if not len(counts) or counts.min() < least:
        rarest = counts.min() if len(counts) else 0
        raise InputError(
            f"{name}: its rarest label has {rarest} of the rows, {problem}: "
            f"{least} are needed"
        )
