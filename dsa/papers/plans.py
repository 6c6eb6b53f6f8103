"""The runs that a table needs."""

import itertools
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment, run_path
from dsa.sweeps.plans import Plan


def plan_runs(table, preset, seeds, checkout):
    """Plan the runs that a table needs: one for each row, seed and fold.

    Args:
        table: a `Table`.
        preset: which settings are changed, see `dsa.papers.presets`.
        seeds: of the runs.
        checkout: the folder that the tables' config paths are relative to.

    Returns: a list of `Plan`; none of them is of a row that is not implemented.

    Raises: `InputError` for a preset that is not for this table.
    """
    folds = range(table.folds) if table.folds else [None]
    implemented = [row for row in table.rows if row.config is not None]
    return [
        _plan_run(row, _combine_overrides(table, row, preset, seed, fold), checkout)
        for row, seed, fold in itertools.product(implemented, seeds, folds)
    ]


def _combine_overrides(table, row, preset, seed, fold):
    overrides = {**table.preset_overrides(preset), **row.overrides, "seed": seed}
    return overrides if fold is None else {**overrides, "data.folds.fold": fold}


def _plan_run(row, overrides, checkout):
    config = Path(checkout, row.config)
    return Plan(
        row=row.name,
        config=config,
        overrides=overrides,
        experiment=load_experiment(config, overrides),
        path=run_path(row.config, overrides, overrides["seed"]),
    )


def choose_rows(plans, names):
    """The plans whose rows have these names; all plans if `names` is `None`.

    Raises: `InputError` for a name that no plan has.
    """
    known = list(dict.fromkeys(plan.row for plan in plans))
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise InputError(
            f"--rows: no row '{unknown[0]}' to train. Known: "
            + ", ".join(f"'{name}'" for name in known)
        )
    return [plan for plan in plans if names is None or plan.row in names]
