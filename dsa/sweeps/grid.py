"""Grid of runs: all combinations of settings and seeds."""

import hashlib
import itertools
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
from dsa.sweeps.planned_runs import Plan

MOST_RUNS = 10_000
UNCHANGED = "as in the config"


def parse_grid(assignments: Iterable[str]) -> dict[str, list[Any]]:
    """Parses `["model.alpha=0,1,1.5"]` to `{"model.alpha": [0, 1, 1.5]}`.

    Raises: `InputError` for malformed assignments and for duplicate keys or values.
    """
    grid = {}
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or not all(key.split(".")):
            raise InputError(
                f"--grid takes 'key.key=value,value'. Received: '{assignment}'"
            )
        values = parse_yaml(f"[{text}]", f"--grid {key}")
        if not isinstance(values, list) or not values:
            raise InputError(f"--grid {key}: a value is needed")
        if key == "seed":
            raise InputError("--grid seed: --seeds takes the seeds")
        if key in grid:
            raise InputError(f"--grid {key} is given twice")
        shown = [repr(value) for value in values]  # to Python 0 and false are equal
        pairs = zip(values, shown, strict=True)
        twice = [value for value, text in pairs if shown.count(text) > 1]
        if twice:
            raise InputError(f"--grid {key}: {twice[0]} is given twice")
        grid[key] = values
    return grid


def name_folder(
    config: str | Path, grid: dict, assignments: Iterable[str], runs: str | Path
) -> Path:
    """Returns the folder of a grid's results, which is independent of the seeds."""
    text = json.dumps([grid, sorted(assignments)], sort_keys=True, default=str)
    name = f"sweep-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return Path(runs, *run_path(config, {}, 0).parts[1:-1], name)


def plan_grid(
    config: str | Path,
    seeds: Sequence[int],
    grid: dict[str, list[Any]],
    assignments: Iterable[str],
    root: str | Path | None = None,
) -> list[Plan]:
    """Plans a run for each combination of settings and each seed.

    Args:
        config: path of the YAML file.
        seeds: the seeds; empty for the seed of the config.
        grid: `{key: values}`, see `parse_grid`.
        assignments: overrides of all runs, strings `"key.key=value"`.
        root: the data root.

    Returns: the plans, ordered by combination and seed. The `row` of a plan is the name
        of the combination.

    Raises: `InputError` for invalid settings, before any run is trained.
    """
    if len(set(seeds)) < len(seeds):
        raise InputError("--seeds: a seed is given twice")
    shared = parse_overrides([*assignments, *(f"{key}=0" for key in grid)])
    if math.prod(map(len, grid.values())) * max(len(seeds), 1) > MOST_RUNS:
        raise InputError(f"--grid: more than {MOST_RUNS:,} runs")
    combinations = [
        dict(zip(grid, v, strict=True)) for v in itertools.product(*grid.values())
    ]
    plans = []
    for combination in combinations:
        settings = {**shared, **combination}
        row = ", ".join(write_assignments(combination)) or UNCHANGED
        for seed in seeds or [load_experiment(config, settings, root).seed]:
            overrides = {**settings, "seed": seed}
            experiment = load_experiment(config, overrides, root)
            path = run_path(config, overrides, seed)
            plans.append(Plan(row, config, overrides, experiment, path))
    return plans
