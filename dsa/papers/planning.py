"""Plans the runs of a table: one for each row, seed and fold."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment, run_path
from dsa.papers.presets import preset_overrides
from dsa.papers.table import Table
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import Runs
from dsa.sweeps.planned_runs import Plan


def plan_runs(
    table: Table, preset: str, seeds: Iterable[int], checkout: Path
) -> list[Plan]:
    """Returns the plans of a table: one for each seed and fold of each implemented row.

    Args:
        table: the table.
        preset: name of the preset.
        seeds: seeds of each row.
        checkout: folder to which the config paths of the rows are relative.

    Raises: `InputError` if the preset has no settings for the table.
    """
    folds = range(table.folds) if table.folds else [None]
    settings = preset_overrides(preset, table.corpus, table)
    plans = []
    for row, seed, fold in itertools.product(table.rows, seeds, folds):
        if row.config is None:
            continue
        overrides = {**settings, **row.overrides, "seed": seed}
        if fold is not None:
            overrides["data.folds.fold"] = fold
        config = Path(checkout, row.config)
        experiment = load_experiment(config, overrides)
        path = run_path(row.config, overrides, seed)
        plans.append(Plan(row.name, config, overrides, experiment, path))
    return plans


def choose_rows(plans: list[Plan], names: Sequence[str] | None) -> list[Plan]:
    """Returns the plans of the named rows; all plans if `names` is `None`.

    Raises: `InputError` for a name without a plan.
    """
    known = list(dict.fromkeys(plan.row for plan in plans))
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise InputError(
            f"--rows: no row '{unknown[0]}' to train. Known: "
            + ", ".join(f"'{name}'" for name in known)
        )
    return [plan for plan in plans if names is None or plan.row in names]


def find_runs(
    plans: Iterable[Plan], folder: Path, root: Path
) -> tuple[dict[str, list[RunFolder]], list[Plan]]:
    """Searches a folder for the finished runs of plans.

    Args:
        plans: the plans.
        folder: folder of runs.
        root: the data root.

    Returns: the finished runs by row name, and the plans without a finished run.
    """
    finished = Runs(folder, root)
    runs: dict[str, list[RunFolder]] = {}
    missing = []
    for plan in plans:
        run = finished.find(plan.experiment)
        if run is None:
            missing.append(plan)
        else:
            runs.setdefault(plan.row, []).append(run)
    return runs, missing
