"""Runs that are planned."""

import contextlib
import dataclasses
import json
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.yaml_file import parse_yaml


@dataclasses.dataclass(frozen=True)
class Plan:
    """A run that is planned.

    Args:
        row: name of the table row that the run is for.
        config: path of the YAML file.
        overrides: the settings that the run changes in it, `seed` among them.
        experiment: the resolved `Experiment`.
        path: of the run folder, relative to the folder that holds `runs`.
    """

    row: str
    config: Path
    overrides: dict
    experiment: Experiment
    path: Path

    @property
    def name(self):
        """The row, the seed and, in a cross-validation, the fold."""
        fold = self.overrides.get("data.folds.fold")
        name = f"{self.row}, seed {self.overrides['seed']}"
        return name if fold is None else f"{name}, fold {fold}"


def write_assignments(overrides):
    """Overrides as the arguments of `--set`, which reads them back as the same."""
    return [f"{key}={_write_value(value)}" for key, value in overrides.items()]


def _write_value(value):
    """A text as it is where YAML reads it so, else in quotation marks."""
    if isinstance(value, str):
        with contextlib.suppress(InputError):
            if parse_yaml(value, "") == value:
                return value
    return json.dumps(value, ensure_ascii=False)
