"""State of a training: new, resumed or finished."""

import contextlib
import dataclasses
import logging
from collections.abc import Iterator
from typing import Any

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.earlier_config import check_no_retired_settings
from dsa.runs.run_files import (
    discard_run,
    is_abandoned,
    prepare_folder,
    remove_temporary_files,
)
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.runs.run_names import flatten
from dsa.system.folder_lock import TRAINING
from dsa.training.tracking.tracker import read_tracking
from dsa.training.training_state import Record, read_state

NOTHING_TO_RESUME = "%s: nothing to resume, training starts at the first step"
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class New:
    """A training that starts at the first step."""


@dataclasses.dataclass(frozen=True)
class Resumed:
    """A training that continues from its saved state.

    Args:
        record: the `Record` of the saved state.
    """

    record: Record


@dataclasses.dataclass(frozen=True)
class Finished:
    """A training that has ended.

    Args:
        record: the `Record` of the saved state; `None` for a run without a saved state,
            such as a run from a hub or a linear model.
    """

    record: Record | None = None


RunState = New | Resumed | Finished


@contextlib.contextmanager
def open_run(
    experiment: Experiment, run: RunFolder, resume: bool = True
) -> Iterator[RunState]:
    """Holds the lock of a run folder and yields the state of its training.

    If a new run fails or is interrupted before its first evaluation, its files are
    removed. The files of a run that was killed before its first evaluation are
    replaced, even if the settings differ.

    Args:
        experiment: the `Experiment`.
        run: the run folder.
        resume: whether to resume an existing run.

    Raises: `InputError`, before any file is changed, for a folder with other files, a
        run with other settings, a run whose training state is missing, and a damaged
        run; `BusyError` if another process is training in the folder.
    """
    with run.hold(TRAINING):
        if is_abandoned(run.path):
            run.check_folder()
            discard_run(run.path)
        if resume and run.is_started():
            run.check_folder()
            check_no_retired_settings(run.read("config.yaml"), run.path)
            check_same_settings(run, experiment.decisive_settings())
            run.check_files()
            run.metrics()
            read_tracking(run)
            state = _read_run_state(run)
            remove_temporary_files(run.path)
            if isinstance(state, New):
                log.info(NOTHING_TO_RESUME, run.path)
            yield state
            return
        if resume:
            log.info(NOTHING_TO_RESUME, run.path)
        prepare_folder(run.path)
        run.write("config.yaml", experiment.to_yaml())
        try:
            yield New()
        except BaseException:  # including Ctrl-C
            discard_run(run.path)
            raise


def _read_run_state(run):
    """Returns the state of a run whose config exists."""
    environment = {}
    if (run.path / "environment.json").is_file():
        environment = run.environment()
    if run.state.is_file():
        _, record = read_state(run.state)
        metric = run.experiment().dev_metric
        if f"val_{metric}" not in record.history[0]:
            raise InputError(
                f"{run.state}: the training state of a different experiment, without "
                f"'val_{metric}'"
            )
        if _has_ended(run, record, environment):
            return Finished(record)
        return Resumed(record)
    if "steps" not in environment:  # no evaluation yet
        return New()
    if not is_finished(run):
        raise InputError(
            f"{run.path} cannot be resumed: its training state is missing, {run.state}"
        )
    return Finished()


def _has_ended(run, record, environment):
    """Returns whether a training ended at a record. `environment.json` may be older
    than the record."""
    if record.stopped:
        return True
    steps_per_epoch = environment.get("steps_per_epoch")
    if steps_per_epoch is None:  # a run of version 0.1.0 that was killed early
        steps_per_epoch = round(record.step / record.history[-1]["epoch"])
    return record.step >= run.experiment().training.last_step(steps_per_epoch)


def check_same_settings(run: RunFolder, settings: dict[str, Any]) -> None:
    """Raises `InputError` if a run was started with other decisive settings."""
    old = flatten(run.experiment().decisive_settings())
    new = flatten(settings)
    if old != new:
        changed = [
            key for key in {**old, **new} if old.get(key, ...) != new.get(key, ...)
        ]
        advice = ""
        if {"training.epochs", "training.steps"} & set(changed) and is_finished(run):
            advice = (
                ". The run has finished. To continue from its weights, start another "
                f"run with 'training.start_from: {run.path}'"
            )
        raise InputError(
            f"{run.path} cannot be resumed with different settings. Changed: "
            f"{', '.join(changed)}{advice}"
        )
