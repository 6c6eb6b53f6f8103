"""What runs left under `results/`.

A result is a folder with a run's `config.yaml`, `environment.json` and `metrics.json`.
"""

import dataclasses
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder
from dsa.experiment.yaml_file import parse_yaml
from dsa.system.reading import read_json_object, read_text


@dataclasses.dataclass(frozen=True)
class Result:
    """What one run left.

    Args:
        experiment: the content of `config.yaml` as it was written: the schema has
            changed since older runs.
        environment: the content of `environment.json`.
        evaluations: the last one of `RunFolder.own_metrics` for each split, by split.
        test_evaluations: how often test was evaluated.
    """

    experiment: dict
    environment: dict
    evaluations: dict
    test_evaluations: int

    @property
    def seed(self):
        return self.experiment["seed"]

    @property
    def view(self):
        """The `data.view` of the run; `None` for none."""
        return self.experiment.get("data", {}).get("view")


def read_results(folder):
    """The `Result`s below a folder, in the order of their paths, without those of runs
    that saw their rows in a view: they are no results of a model.

    Raises: `InputError` where there is none: a table would lose its rows.
    """
    results = [_read_result(config) for config in find_configs(folder)]
    return [result for result in results if not result.view]


def _read_result(config):
    run = RunFolder(config.parent)
    return Result(
        experiment=parse_yaml(read_text(config), config),
        environment=read_json_object(run.path / "environment.json"),
        evaluations={entry["split"]: entry for entry in run.own_metrics()},
        test_evaluations=sum(entry["split"] == "test" for entry in run.metrics()),
    )


def find_configs(folder):
    """The paths of the `config.yaml` of all results below a folder, sorted.

    Raises: `InputError` where there is none: a table would lose its rows.
    """
    configs = sorted(Path(folder).rglob("config.yaml"))
    if not configs:
        raise InputError(f"no results below {folder}")
    return configs
