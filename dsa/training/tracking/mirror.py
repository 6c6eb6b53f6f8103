"""Copies the history of a run to its trackers, and what all trackers share."""

import abc
import concurrent.futures
import contextlib
import functools
import importlib
import importlib.util
import logging
import re
import secrets
import threading
from collections.abc import Callable
from typing import Any

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.training_config import TrainingConfig
from dsa.runs.run_files import TRACKING
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import flatten, name_folders

History = list[dict[str, Any]]  # the rows of `history.csv`

MOST_SECONDS = 120.0  # that a tracker may take to open and write, or to close
PROJECT = "dsa"  # of the trackers that have projects
TRACKERS = {  # name: the package that it needs, module, class
    "tensorboard": ("tensorboardX", "tensorboard", "TensorBoardTracker"),
    "wandb": ("wandb", "wandb", "WandbTracker"),
    "trackio": ("trackio", "trackio", "TrackioTracker"),
}
log = logging.getLogger(__name__)


def check_packages(config: TrainingConfig) -> None:
    """Raises an error if a tracker's package is missing, before anything is written.

    Raises: `InputError` that says what to install.
    """
    for name in config.track:
        package = TRACKERS[name][0]
        if importlib.util.find_spec(package) is None:
            raise InputError(
                f"'training.track': {name} needs the package {package}: "
                f"pip install 'dsa-nli[{name}]' installs it"
            )


class Mirror:
    """A copy of a run's history in each of its trackers. `history.csv` is the truth.

    A tracker gets the rows that it lacks, after the state of the training was saved: it
    is never ahead of what `--resume` resumes at. What a kill between the two has lost
    comes with the next row, or with `--resume` of a run that has ended. `tracking.json`
    keeps the run's id and the last step that each tracker has written: those that
    write later than they are given a row are asked when they are closed.

    A tracker that fails, or is silent for `MOST_SECONDS`, ends no training: a warning
    says it, and the tracker is left out.

    As a context it closes the trackers at its end.

    Raises: `InputError` for a damaged `tracking.json`.
    """

    def __init__(self, experiment: Experiment, run: RunFolder) -> None:
        self.experiment = experiment
        self.run = run
        self.names = list(experiment.training.track)  # without those that failed
        self.opened = {}
        self.run_id, self.steps = read_record(run) if self.names else (None, {})
        self.given = dict(self.steps)  # with what is not written yet

    def __enter__(self) -> "Mirror":
        return self

    def __exit__(self, *error: Any) -> None:
        for name, tracker in list(self.opened.items()):
            with self._survive(name):
                call_within(MOST_SECONDS, tracker.close)
                self._note(name)

    def write(self, history: History) -> None:
        """Give each tracker the rows of a history that it lacks.

        Args:
            history: all rows of `history.csv`, dictionaries of numbers and `None`.
        """
        last = find_step(history[-1])
        for name in list(self.names):
            if self.given.get(name) != last:
                with self._survive(name):
                    write = functools.partial(self._write_to, name, history)
                    call_within(MOST_SECONDS, write)
                    self.given[name] = last
                    if self.opened[name].writes_at_once:
                        self._note(name)

    def _write_to(self, name, history):
        self._open(name).write(history)

    def _note(self, name):
        """Note that a tracker has written what it was given."""
        if name in self.given and self.steps.get(name) != self.given[name]:
            self.steps[name] = self.given[name]
            self._write_record()

    def _open(self, name):
        if name not in self.opened:
            if self.run_id is None:
                self.run_id = secrets.token_hex(4)
                self._write_record()  # a killed run keeps it
            _, module, tracker = TRACKERS[name]
            module = importlib.import_module(f"dsa.training.tracking.{module}")
            tracker = getattr(module, tracker)
            self.opened[name] = tracker(self.run, self.run_id, self.experiment)
        return self.opened[name]

    @contextlib.contextmanager
    def _survive(self, name):
        """Leaves a tracker out that fails inside the context."""
        try:
            yield
        except Exception as error:
            if name in self.names:
                self.names.remove(name)
            if isinstance(error, TimeoutError):
                self.opened.pop(name, None)  # it would not be closed either
            log.warning(
                "%s fails and gets no more of this training, history.csv has all: %s",
                name,
                (str(error) or type(error).__name__).split("\n")[0],
            )

    def _write_record(self):
        self.run.write_json(TRACKING, {"id": self.run_id, "steps": self.steps})


def call_within(seconds: float, function: Callable[[], Any]) -> Any:
    """Calls a function that may wait for a server, and returns what it returns.

    Raises: what it raises; `TimeoutError` if it has not ended after some seconds. Its
        thread is left alone then, and ends with the process.
    """
    ended: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def call():
        try:
            ended.set_result(function())
        except BaseException as error:
            ended.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    try:
        return ended.result(seconds)
    except TimeoutError:
        if ended.done():  # its own
            raise
        raise TimeoutError(f"no answer in {seconds:g} seconds") from None


def read_record(run: RunFolder) -> tuple[str | None, dict[str, int]]:
    """The id of a run and the last step of each tracker; none in a new run.

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
    raise InputError(f"{run.path / TRACKING}: damaged: no 'id' and 'steps'")


class Tracker(abc.ABC):
    """One run in one tracker.

    A subclass opens it in `open`, and sets `last` where the tracker has steps of the
    run already.

    Args:
        run_id: the run's name in all trackers, which a resumed run keeps.
    """

    last = -1  # the last step that the tracker has
    writes_at_once = False  # or when it is closed, at the latest

    def __init__(self, run: RunFolder, run_id: str, experiment: Experiment) -> None:
        self.run = run
        self.run_id = run_id
        self.experiment = experiment
        self.open()

    @abc.abstractmethod
    def open(self) -> None:
        """Begin or resume the run in the tracker."""

    @property
    def name(self) -> str:
        """What people call the run."""
        return name_folders([self.run.path])[0]

    def settings(self) -> dict[str, Any]:
        """The resolved config as `{"section.key": value}`."""
        return flatten(self.experiment.model_dump(mode="json"))

    def write(self, history: History) -> None:
        """Write the rows of a history that the tracker lacks."""
        for row in history:
            step = find_step(row)
            if step > self.last:
                others = {k: v for k, v in row.items() if k != "step"}
                self.write_step(
                    step, {k: v for k, v in others.items() if v is not None}
                )
                self.last = step

    @abc.abstractmethod
    def write_step(self, step: int, numbers: dict[str, float]) -> None:
        """Write `{name: number}` of one step."""

    @abc.abstractmethod
    def close(self) -> None:
        """End the run in the tracker."""


def find_step(row: dict[str, Any]) -> int:
    """The step of a row of the history. A model that is fitted at once has no steps,
    and counts its evaluations."""
    return row.get("step", row["evaluation"])
