"""Base class of experiment trackers, and reader of `tracking.json`."""

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
from dsa.system.extras import format_install_command

History = list[dict[str, Any]]  # rows of `history.csv`

PROJECT = "dsa"  # default name of the project in Weights & Biases and Trackio
TRACKERS = {  # name: (required package, module in this folder, class)
    "tensorboard": ("tensorboardX", "tensorboard", "TensorBoardTracker"),
    "wandb": ("wandb", "wandb", "WandbTracker"),
    "trackio": ("trackio", "trackio", "TrackioTracker"),
}


def check_packages(names: Sequence[str]) -> None:
    """Checks that the packages of trackers are installed.

    Args:
        names: names of trackers, see `training.track`.

    Raises: `InputError` with an installation command if a package is missing.
    """
    for name in names:
        package, _, _ = TRACKERS[name]
        if importlib.util.find_spec(package) is None:
            raise InputError(
                f"'training.track: {name}' requires the package {package}. "
                f"To install it: {format_install_command(name)}"
            )


def read_tracking(run: RunFolder) -> tuple[str | None, dict[str, int]]:
    """Reads `tracking.json` of a run.

    Returns: the identifier of the run in its trackers, and the last step written by
        each tracker. Without the file, `None` and an empty dictionary.

    Raises: `InputError` if the file is damaged.
    """
    if not (run.path / TRACKING).exists():
        return None, {}
    content = run.read_json(TRACKING)
    if isinstance(content, dict):
        run_id = content.get("id")
        steps = content.get("steps")
        is_id = isinstance(run_id, str) and re.fullmatch("[0-9a-f]{8}", run_id)
        if is_id and isinstance(steps, dict):
            return run_id, steps
    raise InputError(f"{run.path / TRACKING}: damaged: expected 'id' and 'steps'")


class Tracker(abc.ABC):
    """Base class of experiment trackers.

    Subclasses implement `open`, `write_step` and `close`. If the tracker already
    contains steps of the run, `open` sets `last_step`.

    Args:
        folder: path of the run folder.
        run_id: identifier of the run in all trackers, unchanged when it is resumed.
        settings: the resolved config of the run, as nested dictionaries.
    """

    last_step = -1  # last step in the tracker
    is_synchronous = False  # whether `write` returns after the rows are on disk

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

    def flatten_settings(self) -> dict[str, Any]:
        """Returns the resolved config as `{"section.key": value}`."""
        return flatten(self.settings)

    def write(self, history: History) -> None:
        """Writes the rows of a history that are not yet in the tracker."""
        for row in history:
            step = get_step(row)
            if step <= self.last_step:
                continue
            values = {}
            for name, value in row.items():
                if name != "step" and value is not None:
                    values[name] = value
            self.write_step(step, values)
            self.last_step = step

    @abc.abstractmethod
    def write_step(self, step: int, values: dict[str, float]) -> None:
        """Writes the values of a step.

        Args:
            step: number of the step.
            values: metrics, durations and learning rate, by column of `history.csv`.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Closes the run in the tracker."""


def get_step(row: dict[str, Any]) -> int:
    """Returns the step number of a row of the history.

    The history of a linear model has no column "step", so the number of the evaluation
    is returned.
    """
    if "step" in row:
        return row["step"]
    return row["evaluation"]
