"""Grid of runs: all combinations of settings and seeds."""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.experiment.yaml_file import (
    load_experiment,
    parse_overrides,
    run_path,
    write_assignments,
)
from dsa.sweeps.draws import Distribution, combine, parse_distribution
from dsa.sweeps.planned_runs import Plan

MAX_RUNS = 10_000
UNCHANGED = "as in the config"
DEV_SHARE = 0.1  # of the training rows of a fold, if the config has no `data.dev_share`


def parse_grid(assignments: Iterable[str]) -> dict[str, Any]:
    """Parses `["model.alpha=0,1,1.5"]` to `{"model.alpha": [0, 1, 1.5]}`. The value of
    `uniform(0,0.5)` and `log(1e-4,3e-3)` is a `Distribution`.

    Raises: `InputError` for malformed assignments and for duplicate keys or values.
    """
    grid: dict[str, Any] = {}
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or not all(key.split(".")):
            raise InputError(
                f"--grid takes 'key.key=value,value'. Received: '{assignment}'"
            )
        distribution = parse_distribution(text, key)
        if distribution is not None:
            _check_key(key, grid)
            grid[key] = distribution
            continue
        values = parse_yaml(f"[{text}]", f"--grid {key}")
        if not isinstance(values, list) or not values:
            raise InputError(f"--grid {key}: a value is needed")
        _check_key(key, grid)
        shown = [repr(value) for value in values]  # to Python 0 and false are equal
        pairs = zip(values, shown, strict=True)
        twice = [value for value, text in pairs if shown.count(text) > 1]
        if twice:
            raise InputError(f"--grid {key}: {twice[0]} is given twice")
        grid[key] = values
    return grid


def _check_key(key, grid):
    if key == "seed":
        raise InputError("--grid seed: --seeds takes the seeds")
    if key in grid:
        raise InputError(f"--grid {key} is given twice")


def name_folder(
    config: str | Path,
    grid: dict,
    assignments: Iterable[str],
    runs: str | Path,
    folds: int | None = None,
) -> Path:
    """Returns the folder of a grid's results, which is independent of the seeds."""
    settings = [grid, sorted(assignments), *([folds] if folds else [])]
    text = json.dumps(settings, sort_keys=True, default=str)
    name = f"sweep-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return Path(runs, *run_path(config, {}, 0).parts[1:-1], name)


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
        seeds: the seeds; empty for the seed of the config.
        grid: `{key: values}`, see `parse_grid`.
        assignments: overrides of all runs, strings `"key.key=value"`.
        root: the data root.
        folds: number of folds of a cross-validation over `data.train`, whose runs
            ignore the files of dev and test; `None` for no cross-validation.
        runs_at_most: largest number of runs, from which the number of random
            combinations follows; `None` for all combinations.

    Returns: the plans, ordered by combination, seed and fold. The `row` of a plan is
        the name of the combination.

    Raises: `InputError` for invalid settings, before any run is trained.
    """
    if len(set(seeds)) < len(seeds):
        raise InputError("--seeds: a seed is given twice")
    shared = parse_overrides([*assignments, *(f"{key}=0" for key in grid)])
    runs = max(len(seeds), 1) * (folds or 1)  # of a combination
    count = None if runs_at_most is None else runs_at_most // runs
    if count == 0:
        raise InputError(
            f"--runs-at-most {runs_at_most}: a combination of settings needs {runs} "
            "runs, one for each seed and fold"
        )
    lists = [v for v in grid.values() if not isinstance(v, Distribution)]
    if math.prod(map(len, lists)) * runs > MAX_RUNS:
        raise InputError(f"--grid: more than {MAX_RUNS:,} runs")
    plans = []
    for combination in combine(grid, count):
        settings = {**shared, **combination}
        row = ", ".join(write_assignments(combination)) or UNCHANGED
        for seed in seeds or [load_experiment(config, settings, root).seed]:
            for fold in _plan_folds(config, settings, root, folds):
                overrides = {**settings, **fold, "seed": seed}
                experiment = load_experiment(config, overrides, root)
                path = run_path(config, overrides, seed)
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
