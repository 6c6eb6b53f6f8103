"""Base class of the trackers, and the content of `tracking.json`."""

import abc
import importlib
import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.runs.run_files import TRACKING
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import flatten, name_folders
from dsa.system.extras import install_command

History = list[dict[str, Any]]  # the rows of `history.csv`

PROJECT = "dsa"  # name of the project in trackers with projects
TRACKERS = {  # name: (required package, module, class)
    "tensorboard": ("tensorboardX", "tensorboard", "TensorBoardTracker"),
    "wandb": ("wandb", "wandb", "WandbTracker"),
    "trackio": ("trackio", "trackio", "TrackioTracker"),
}


def check_packages(names: Sequence[str]) -> None:
    """Raises `InputError`, with the command for installation, if the package of a
    tracker is missing.

    Args:
        names: names of trackers, see `training.track`.
    """
    for name in names:
        package = TRACKERS[name][0]
        if importlib.util.find_spec(package) is None:
            raise InputError(
                f"'training.track': {name} needs the package {package}: "
                f"{install_command(name)} installs it"
            )


def read_tracking(run: RunFolder) -> tuple[str | None, dict[str, int]]:
    """Reads `tracking.json` of a run.

    Returns: the id of the run in its trackers, and the last step of each tracker; for a
        new run, `None` and an empty dictionary.

    Raises: `InputError` for a damaged file.
    """
    if not (run.path / TRACKING).exists():
        return None, {}
    record = run.read_json(TRACKING)
    if isinstance(record, dict):
        run_id, steps = record.get("id"), record.get("steps")
        is_id = isinstance(run_id, str) and re.fullmatch("[0-9a-f]{8}", run_id)
        if is_id and isinstance(steps, dict):
            return run_id, steps
    raise InputError(f"{run.path / TRACKING}: damaged: expected 'id' and 'steps'")


class Tracker(abc.ABC):
    """Base class of the trackers.

    A subclass overrides `open`, `write_step` and `close`. `open` sets `last` if the
    tracker already contains steps of the run.

    Args:
        folder: path of the run folder.
        run_id: identifier of the run in all trackers, kept when the run is resumed.
        settings: the resolved config of the run, as nested dictionaries.
    """

    last = -1  # last step in the tracker
    writes_at_once = False  # whether `write` returns after the data are on disk

    def __init__(self, folder: Path, run_id: str, settings: dict[str, Any]) -> None:
        self.folder = folder
        self.run_id = run_id
        self.settings = settings
        self.open()

    @abc.abstractmethod
    def open(self) -> None:
        """Opens a new or resumed run in the tracker."""

    @property
    def name(self) -> str:
        """Display name of the run."""
        return name_folders([self.folder])[0]

    def flat_settings(self) -> dict[str, Any]:
        """Returns the resolved config as `{"section.key": value}`."""
        return flatten(self.settings)

    def write(self, history: History) -> None:
        """Writes the rows of a history that are not yet in the tracker."""
        for row in history:
            step = step_number(row)
            if step > self.last:
                numbers = {
                    name: number
                    for name, number in row.items()
                    if name != "step" and number is not None
                }
                self.write_step(step, numbers)
                self.last = step

    @abc.abstractmethod
    def write_step(self, step: int, numbers: dict[str, float]) -> None:
        """Writes the numbers of a step.

        Args:
            step: the step.
            numbers: numbers by name.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Closes the run in the tracker."""


def step_number(row: dict[str, Any]) -> int:
    """Returns the step of a row of the history, or the number of the evaluation for a
    linear model, which has no steps."""
    return row.get("step", row["evaluation"])
