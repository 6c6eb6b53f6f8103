"""What runs left under `results/`.

A result is a folder with a run's `config.yaml`, `environment.json` and `metrics.json`.
"""

import json
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import parse_yaml


def read_results(folder):
    """The results below a folder, by path, as dictionaries.

    Returns: a list of `{"experiment", "environment", "evaluations"}`; `evaluations` are
        those of `metrics.json`, the last one of each split, by split, and
        `test_evaluations` says how often test was evaluated.
    """
    results = []
    for config in configs_below(folder):
        entries = json.loads((config.parent / "metrics.json").read_text())
        entries = entries["evaluations"]
        results.append(
            {
                # as it was: the schema has moved on since older runs
                "experiment": parse_yaml(config.read_text(encoding="utf-8"), config),
                "environment": json.loads(
                    (config.parent / "environment.json").read_text()
                ),
                "evaluations": {entry["split"]: entry for entry in entries},
                "test_evaluations": sum(entry["split"] == "test" for entry in entries),
            }
        )
    return results


def configs_below(folder):
    """The paths of the results' `config.yaml`, sorted.

    Raises: `InputError` where there is none: a table would lose its rows.
    """
    found = sorted(Path(folder).rglob("config.yaml"))
    if not found:
        raise InputError(
            f"no results below {folder}: run this in the repository's root"
        )
    return found
