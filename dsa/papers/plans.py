"""The runs that a table needs."""

import itertools

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment, run_path
from dsa.papers.table import overrides_of


def planned(table, preset, seeds):
    """The runs that a table needs.

    Returns: a list of (row, overrides, experiment, path of the run), one for each seed
        and fold; rows that are not implemented have none.
    """
    folds = range(table.folds) if table.folds else [None]
    plans = []
    for row in table.rows:
        if row.config is None:
            continue
        for seed, fold in itertools.product(seeds, folds):
            overrides = overrides_of(table, row, preset, seed, fold)
            experiment = load_experiment(row.config, overrides)
            path = run_path(row.config, overrides, seed)
            plans.append((row, overrides, experiment, path))
    return plans


def chosen(plans, names):
    """Those of `planned`'s runs whose rows have these names; all if `names` is `None`.

    Raises: `InputError` for a name that no row with a config has.
    """
    known = list(dict.fromkeys(row.name for row, *_ in plans))
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise InputError(
            f"--rows: no row '{unknown[0]}' to train. Known: "
            + ", ".join(f"'{name}'" for name in known)
        )
    return [plan for plan in plans if names is None or plan[0].name in names]
