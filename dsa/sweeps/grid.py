"""Planned runs of a grid of settings, seeds and folds."""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.experiment.yaml_file import (
    format_assignments,
    load_experiment,
    make_run_path,
    parse_overrides,
)
from dsa.sweeps.draws import Distribution, combine_values, parse_distribution
from dsa.sweeps.planned_runs import Plan

MAX_RUNS = 10_000
UNCHANGED = "as in the config"
DEV_SHARE = 0.1  # `data.dev_share` of folds if the config does not set it


def parse_grid(assignments: Iterable[str]) -> dict[str, Any]:
    """Parses `["model.alpha=0,1,1.5"]` into `{"model.alpha": [0, 1, 1.5]}`.

    `uniform(0,0.5)` and `log(1e-4,3e-3)` are parsed into a `Distribution`.

    Raises: `InputError` if an assignment is malformed, or a key or a value is repeated.
    """
    grid: dict[str, Any] = {}
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or "" in key.split("."):
            raise InputError(
                f"--grid must be 'key.key=value,value'. Received: '{assignment}'"
            )
        distribution = parse_distribution(text, key)
        if distribution is not None:
            _check_key(key, grid)
            grid[key] = distribution
            continue
        values = parse_yaml(f"[{text}]", f"--grid {key}")
        if not isinstance(values, list) or not values:
            raise InputError(f"--grid {key}: at least one value is required")
        _check_key(key, grid)
        seen = set()
        for value in values:
            if repr(value) in seen:  # compares texts, because 0 == False
                raise InputError(f"--grid {key}: duplicate value {value}")
            seen.add(repr(value))
        grid[key] = values
    return grid


def _check_key(key: str, grid: dict[str, Any]) -> None:
    """Raises `InputError` if the key is `seed` or is already in the grid."""
    if key == "seed":
        raise InputError("--grid cannot contain 'seed'. Use --seeds")
    if key in grid:
        raise InputError(f"--grid: duplicate key {key}")


def name_folder(
    config: str | Path,
    grid: dict,
    assignments: Iterable[str],
    runs: str | Path,
    folds: int | None = None,
) -> Path:
    """Returns the folder for the results of a grid, which is the same for all seeds."""
    settings = [grid, sorted(assignments)]
    if folds:
        settings.append(folds)
    text = json.dumps(settings, sort_keys=True, default=str)
    name = f"sweep-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return Path(runs, *make_run_path(config, {}, 0).parts[1:-1], name)


def plan_grid(  # noqa: PLR0913
    config: str | Path,
    seeds: Sequence[int],
    grid: dict[str, Any],
    assignments: Iterable[str],
    root: str | Path | None = None,
    folds: int | None = None,
    runs_at_most: int | None = None,
) -> list[Plan]:
    """Plans one run per combination of settings, seed and fold.

    Args:
        config: path of the YAML file.
        seeds: the seeds; the seed of the config if the sequence is empty.
        grid: `{key: values}`, see `parse_grid`.
        assignments: overrides of all runs, as strings `"key.key=value"`.
        root: the data root.
        folds: number of folds of a cross-validation over `data.train`. The files of dev
            and test are then unused. `None` disables cross-validation.
        runs_at_most: maximum number of runs. If it is smaller than the grid, random
            combinations are planned. `None` plans all combinations.

    Returns: the plans, sorted by combination, seed and fold. `Plan.row` is the name of
        the combination.

    Raises: `InputError` if a setting is invalid or repeated, seeds are repeated, the
        plan has more than `MAX_RUNS` runs, or `runs_at_most` is less than the number
        of runs of a combination.
    """
    if len(set(seeds)) < len(seeds):
        raise InputError(f"--seeds must be distinct. Received: {[*seeds]}")
    # placeholders of the grid's keys, so that a key in `assignments` is a duplicate
    placeholders = [f"{key}=0" for key in grid]
    shared_settings = parse_overrides([*assignments, *placeholders])
    _check_fixed_settings(shared_settings, grid, seeds, folds)
    runs_per_combination = max(len(seeds), 1) * (folds or 1)
    max_combinations = None
    if runs_at_most is not None:
        max_combinations = runs_at_most // runs_per_combination
        if max_combinations == 0:
            raise InputError(
                f"--runs-at-most must be at least {runs_per_combination}, one run for "
                f"each seed and fold. Received: {runs_at_most}"
            )
    num_combinations = _count_combinations(grid, max_combinations)
    if num_combinations * runs_per_combination > MAX_RUNS:
        raise InputError(f"--grid must result in at most {MAX_RUNS:,} runs")
    plans = []
    for combination in combine_values(grid, max_combinations):
        settings = {**shared_settings, **combination}
        row = ", ".join(format_assignments(combination)) or UNCHANGED
        for seed in seeds or [load_experiment(config, settings, root).seed]:
            for fold_settings in _list_fold_settings(config, settings, root, folds):
                overrides = {**settings, **fold_settings, "seed": seed}
                experiment = load_experiment(config, overrides, root)
                path = make_run_path(config, overrides, seed)
                plans.append(Plan(row, config, overrides, experiment, path))
    return plans


def _check_fixed_settings(settings, grid, seeds, folds):
    """Raises `InputError` for settings that the seeds or folds replace."""
    if seeds and "seed" in settings:
        raise InputError("--seeds cannot be combined with the setting 'seed'")
    if folds:
        fixed = [key for key in settings if key.startswith("data.folds")]
        fixed += [key for key in grid if key in ("data.dev", "data.test")]
        if fixed:
            raise InputError(f"--folds cannot be combined with '{fixed[0]}'")


def _count_combinations(grid: dict[str, Any], limit: int | None) -> int:
    """Returns the number of combinations that are planned, at most `limit`."""
    lists = [values for values in grid.values() if not isinstance(values, Distribution)]
    count = math.prod(len(values) for values in lists)
    if limit is None:
        return count
    return limit if len(lists) < len(grid) else min(count, limit)


def _list_fold_settings(
    config: str | Path,
    settings: dict[str, Any],
    root: str | Path | None,
    num_folds: int | None,
) -> list[dict[str, Any]]:
    """Returns the overrides of each fold, or one empty dictionary without folds."""
    if not num_folds:
        return [{}]
    data = load_experiment(config, settings, root).data
    shared: dict[str, Any] = {"data.dev": None, "data.test": None}
    dev_share = data.dev_share
    if data.dev_from != "train":  # a share of the unused test file
        shared["data.dev_from"] = "train"
        dev_share = None
    if not (dev_share or data.select_on_test):
        shared["data.dev_share"] = DEV_SHARE
    return [
        {**shared, "data.folds.count": num_folds, "data.folds.fold": fold}
        for fold in range(num_folds)
    ]
