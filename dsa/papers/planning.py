"""Planned runs of a table, for each row, seed and fold."""

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment, make_run_path
from dsa.papers.presets import preset_overrides
from dsa.papers.table import Table
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import Runs
from dsa.sweeps.planned_runs import Plan


def plan_runs(
    table: Table, preset: str, seeds: Iterable[int], checkout: Path
) -> list[Plan]:
    """Plans a run for each seed and fold of each implemented row of a table.

    Args:
        table: the table.
        preset: name of the preset.
        seeds: seeds of each row.
        checkout: folder of the configs; config paths of the rows are relative to it.

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
        path = make_run_path(row.config, overrides, seed)
        plans.append(Plan(row.name, config, overrides, experiment, path, row.title))
    return plans


def choose_rows(plans: list[Plan], names: Sequence[str] | None) -> list[Plan]:
    """Returns the plans of the named rows; all plans if `names` is `None`.

    A name is the title of a row, the path or file name of its config, or the name of
    its model, in this order of precedence. It is not case-sensitive. Several rows can
    have the same config or model.

    Raises: `InputError` for an unknown name.
    """
    if names is None:
        return plans
    chosen = set()
    for name in names:
        rows = _find_rows(plans, name)
        if not rows:
            known = dict.fromkeys(plan.title or plan.row for plan in plans)
            models = dict.fromkeys(plan.experiment.model.name for plan in plans)
            raise InputError(
                f"--rows: no row '{name}' to train. Known: "
                + ", ".join(f"'{title}'" for title in known)
                + f"; models: {', '.join(models)}"
            )
        chosen |= rows
    return [plan for plan in plans if plan.row in chosen]


def _find_rows(plans: list[Plan], name: str) -> set[str]:
    """Returns the rows with a title, else a config, else a model of this name."""
    name = name.casefold().removesuffix(".yaml").removeprefix("configs/")
    for list_names in (_list_titles, _list_config_names, _list_model_names):
        rows = {plan.row for plan in plans if name in list_names(plan)}
        if rows:
            return rows
    return set()


def _list_titles(plan):
    return {plan.row.casefold(), (plan.title or plan.row).casefold()}


def _list_config_names(plan):
    config = Path(plan.config).with_suffix("")
    return {config.name.casefold(), "/".join(config.parts[-2:]).casefold()}


def _list_model_names(plan):
    return {plan.experiment.model.name.casefold()}


def order_plans(plans: list[Plan], table: Table) -> list[Plan]:
    """Returns the plans in training order: the paper's own models, then baselines."""
    return sorted(
        plans, key=lambda plan: plan.experiment.model.name not in table.own_models
    )


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
