"""Runs that are planned."""

import dataclasses
import json
from pathlib import Path

from dsa.experiment.config import Experiment


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
    """Overrides as the arguments of `--set`."""
    return [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in overrides.items()
    ]
