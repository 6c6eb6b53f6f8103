"""What runs left under `results/`.

A result is a folder with a run's `config.yaml`, `environment.json` and `metrics.json`.
"""

import dataclasses
import json
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import parse_yaml


@dataclasses.dataclass(frozen=True)
class Result:
    """What one run left.

    Args:
        experiment: the content of `config.yaml` as it was written: the schema has
            changed since older runs.
        environment: the content of `environment.json`.
        evaluations: the last entry of `metrics.json` for each split, by split.
        test_evaluations: how often test was evaluated.
    """

    experiment: dict
    environment: dict
    evaluations: dict
    test_evaluations: int

    @property
    def seed(self):
        return self.experiment["seed"]


def read_results(folder):
    """The `Result`s below a folder, in the order of their paths.

    Raises: `InputError` where there is none: a table would lose its rows.
    """
    return [_read_result(config) for config in find_configs(folder)]


def _read_result(config):
    folder = config.parent
    entries = json.loads((folder / "metrics.json").read_text())["evaluations"]
    return Result(
        experiment=parse_yaml(config.read_text(encoding="utf-8"), config),
        environment=json.loads((folder / "environment.json").read_text()),
        evaluations={entry["split"]: entry for entry in entries},
        test_evaluations=sum(entry["split"] == "test" for entry in entries),
    )


def find_configs(folder):
    """The paths of the `config.yaml` of all results below a folder, sorted.

    Raises: `InputError` where there is none: a table would lose its rows.
    """
    configs = sorted(Path(folder).rglob("config.yaml"))
    if not configs:
        raise InputError(f"no results below {folder}")
    return configs
