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
from dsa.sweeps.draws import Distribution, combine, parse_distribution
from dsa.sweeps.planned_runs import Plan

MAX_RUNS = 10_000
UNCHANGED = "as in the config"
DEV_SHARE = 0.1  # `data.dev_share` of a fold, if it is missing in the config


def parse_grid(assignments: Iterable[str]) -> dict[str, Any]:
    """Parses `["model.alpha=0,1,1.5"]` to `{"model.alpha": [0, 1, 1.5]}`.

    `uniform(0,0.5)` and `log(1e-4,3e-3)` are parsed to a `Distribution`.

    Raises: `InputError` for malformed assignments, and for duplicate keys or values.
    """
    grid: dict[str, Any] = {}
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or not all(key.split(".")):
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
        texts = [repr(value) for value in values]  # unlike 0 == False
        for value, value_text in zip(values, texts, strict=True):
            if texts.count(value_text) > 1:
                raise InputError(f"--grid {key}: duplicate value {value}")
        grid[key] = values
    return grid


def _check_key(key, grid):
    """Raises `InputError` for a duplicate key, and for `seed`."""
    if key == "seed":
        raise InputError("--grid seed: use --seeds")
    if key in grid:
        raise InputError(f"--grid: duplicate key {key}")


def name_folder(
    config: str | Path,
    grid: dict,
    assignments: Iterable[str],
    runs: str | Path,
    folds: int | None = None,
) -> Path:
    """Returns the folder of the results of a grid. It does not depend on the seeds."""
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
    """Plans a run for each combination of settings, each seed and each fold.

    Args:
        config: path of the YAML file.
        seeds: the seeds; an empty sequence for the seed of the config.
        grid: `{key: values}`, see `parse_grid`.
        assignments: overrides of all runs, as strings `"key.key=value"`.
        root: the data root.
        folds: number of folds of a cross-validation over `data.train`, without the
            files of dev and test; `None` for no cross-validation.
        runs_at_most: maximum number of runs, to run random combinations; `None` for all
            combinations.

    Returns: the plans, ordered by combination, seed and fold. The `row` of a plan is
        the name of the combination.

    Raises: `InputError` for invalid settings.
    """
    if len(set(seeds)) < len(seeds):
        raise InputError(f"--seeds must be distinct. Received: {[*seeds]}")
    # a grid key in `assignments` raises an error for a duplicate setting
    shared = parse_overrides([*assignments, *(f"{key}=0" for key in grid)])
    runs_per_combination = max(len(seeds), 1) * (folds or 1)
    count = None
    if runs_at_most is not None:
        count = runs_at_most // runs_per_combination
        if count == 0:
            raise InputError(
                f"--runs-at-most must be at least {runs_per_combination}, one run for "
                f"each seed and fold. Received: {runs_at_most}"
            )
    lists = [values for values in grid.values() if not isinstance(values, Distribution)]
    if math.prod(map(len, lists)) * runs_per_combination > MAX_RUNS:
        raise InputError(f"--grid: more than {MAX_RUNS:,} runs")
    plans = []
    for combination in combine(grid, count):
        settings = {**shared, **combination}
        row = ", ".join(format_assignments(combination)) or UNCHANGED
        for seed in seeds or [load_experiment(config, settings, root).seed]:
            for fold in _plan_folds(config, settings, root, folds):
                overrides = {**settings, **fold, "seed": seed}
                experiment = load_experiment(config, overrides, root)
                path = make_run_path(config, overrides, seed)
                plans.append(Plan(row, config, overrides, experiment, path))
    return plans


def _plan_folds(config, settings, root, count):
    """Returns the overrides of each fold; no overrides without cross-validation."""
    if not count:
        return [{}]
    data = load_experiment(config, settings, root).data
    shared: dict[str, Any] = {"data.dev": None, "data.test": None}
    if not (data.dev_share or data.select_on_test):
        shared["data.dev_share"] = DEV_SHARE
    return [
        {**shared, "data.folds.count": count, "data.folds.fold": fold}
        for fold in range(count)
    ]
