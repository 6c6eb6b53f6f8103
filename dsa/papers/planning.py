"""Plans of the runs of a table, one per row, seed and fold."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment, make_run_path
from dsa.papers.presets import get_preset_overrides
from dsa.papers.table import Table
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import RunIndex
from dsa.sweeps.planned_runs import Plan


def plan_runs(
    table: Table, preset: str, seeds: Iterable[int], checkout: Path
) -> list[Plan]:
    """Plans a run for each implemented row of a table, each seed and each fold.

    Args:
        table: the table.
        preset: name of the preset.
        seeds: seeds of each row.
        checkout: folder of the configs; config paths of the rows are relative to it.

    Raises: `InputError` if the preset has no settings for the table, or a config is
        missing or invalid.
    """
    folds = range(table.folds) if table.folds else [None]
    settings = get_preset_overrides(preset, table.corpus, table)
    plans = []
    for row, seed, fold in itertools.product(table.rows, seeds, folds):
        if row.config is None:
            continue
        overrides = {**settings, **row.overrides, "seed": seed}
        if fold is not None:
            overrides["data.folds.fold"] = fold
        config = Path(checkout, row.config)
        experiment = load_experiment(config, overrides)
        path = make_run_path(row.config, overrides, seed)
        plans.append(Plan(row.name, config, overrides, experiment, path, row.title))
    return plans


def choose_rows(plans: list[Plan], names: Sequence[str] | None) -> list[Plan]:
    """Returns the plans of the named rows, or all plans if `names` is `None`.

    A name is the title of a row, the path or file name of its config, or the name of
    its model, in this order of precedence. Names are not case-sensitive. Several rows
    can have the same config or model.

    Raises: `InputError` if no row has one of the names.
    """
    if names is None:
        return plans
    chosen_rows = set()
    for name in names:
        rows = _find_rows(plans, name)
        if not rows:
            titles = dict.fromkeys(plan.title or plan.row for plan in plans)
            quoted_titles = ", ".join(f"'{title}'" for title in titles)
            models = dict.fromkeys(plan.experiment.model.name for plan in plans)
            raise InputError(
                f"--rows: no row '{name}' to train. Known: {quoted_titles}; models: "
                f"{', '.join(models)}"
            )
        chosen_rows |= rows
    return [plan for plan in plans if plan.row in chosen_rows]


def _find_rows(plans: list[Plan], name: str) -> set[str]:
    """Returns the names of the rows that match by title, or else by config, or else by
    model."""
    name = name.casefold().removesuffix(".yaml").removeprefix("configs/")
    rows_by_title = set()
    rows_by_config = set()
    rows_by_model = set()
    for plan in plans:
        title = plan.title or plan.row
        if name in (plan.row.casefold(), title.casefold()):
            rows_by_title.add(plan.row)
        config = Path(plan.config).with_suffix("")
        short_path = "/".join(config.parts[-2:])
        if name in (config.name.casefold(), short_path.casefold()):
            rows_by_config.add(plan.row)
        if name == plan.experiment.model.name.casefold():
            rows_by_model.add(plan.row)
    return rows_by_title or rows_by_config or rows_by_model


def order_plans(plans: list[Plan], table: Table) -> list[Plan]:
    """Returns the plans in training order: the models of the paper, then baselines."""
    own_plans = []
    baseline_plans = []
    for plan in plans:
        if plan.experiment.model.name in table.own_models:
            own_plans.append(plan)
        else:
            baseline_plans.append(plan)
    return own_plans + baseline_plans


def find_finished_runs(
    plans: Iterable[Plan], folder: Path, root: Path
) -> tuple[dict[str, list[RunFolder]], list[Plan]]:
    """Searches a folder for the finished runs of plans.

    Args:
        plans: the plans.
        folder: folder of runs.
        root: the data root.

    Returns: the finished runs by row name, and the plans without a finished run.
    """
    index = RunIndex.scan(folder, root)
    runs: dict[str, list[RunFolder]] = {}
    missing_plans = []
    for plan in plans:
        run = index.find(plan.experiment)
        if run is None:
            missing_plans.append(plan)
        else:
            runs.setdefault(plan.row, []).append(run)
    return runs, missing_plans
