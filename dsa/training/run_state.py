"""Opens a run folder for training, which is new, resumed or finished."""

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
from dsa.training.training_state import TrainingRecord, read_state

NOTHING_TO_RESUME = "%s: nothing to resume, training starts at the first step"
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class New:
    """State of a run that is trained from the first step."""


@dataclasses.dataclass(frozen=True)
class Resumed:
    """State of a run whose training continues from a saved state.

    Args:
        record: the `TrainingRecord` of the saved state.
    """

    record: TrainingRecord


@dataclasses.dataclass(frozen=True)
class Finished:
    """State of a run whose training has ended.

    Args:
        record: the `TrainingRecord` of the saved state; `None` for a run without a
            saved state, such as a run from a hub or a run of a linear model.
    """

    record: TrainingRecord | None = None


RunState = New | Resumed | Finished


@contextlib.contextmanager
def open_run(
    experiment: Experiment, run: RunFolder, resume: bool = True
) -> Iterator[RunState]:
    """Locks a run folder for training and yields the state of the run.

    If a new run fails or is interrupted before its first evaluation, its files are
    removed. The files of a run that was killed before its first evaluation are
    replaced, even if the settings differ.

    Args:
        experiment: the `Experiment`.
        run: the run folder.
        resume: whether to resume an existing run.

    Yields: the `RunState`.

    Raises: `InputError`, before any file is changed, if the folder contains other
        files, or if the run has different settings, is damaged or has no training
        state. `BusyError` if another process is training in the folder.
    """
    with run.hold(TRAINING):
        if is_abandoned(run.path):
            run.check_folder()
            discard_run(run.path)
        if resume and run.is_started():
            run.check_folder()
            check_no_retired_settings(run.read("config.yaml"), run.path)
            check_same_settings(run, experiment.result_settings())
            run.check_files()
            # these files are read later; a damaged file raises an error now
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
    """Returns the state of a run that has a config."""
    environment = {}
    if (run.path / "environment.json").is_file():
        environment = run.environment()
    if run.state.is_file():
        _, record = read_state(run.state)
        column = f"val_{run.experiment().dev_metric}"
        if column not in record.history[0]:
            raise InputError(
                f"{run.state}: the training state belongs to a different experiment: "
                f"the history has no column '{column}'"
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
    """Returns whether training ended at a record.

    Args:
        run: the run folder.
        record: the `TrainingRecord` of the saved state.
        environment: content of `environment.json`, which can be older than the record.
    """
    if record.stopped:
        return True
    steps_per_epoch = environment.get("steps_per_epoch")
    if steps_per_epoch is None:  # a run of version 0.1.0 that was killed early
        steps_per_epoch = round(record.step / record.history[-1]["epoch"])
    return record.step >= run.experiment().training.last_step(steps_per_epoch)


def check_same_settings(run: RunFolder, settings: dict[str, Any]) -> None:
    """Raises `InputError` if a run was started with different settings.

    Args:
        run: the run folder.
        settings: current settings, see `Experiment.result_settings`.
    """
    experiment = run.experiment()
    old_settings = flatten(experiment.result_settings())
    new_settings = flatten(settings)
    if old_settings == new_settings:
        return
    changed = []
    for key in {**old_settings, **new_settings}:
        is_in_both = key in old_settings and key in new_settings
        if not is_in_both or old_settings[key] != new_settings[key]:
            changed.append(key)
    advice = ""
    has_new_length = "training.epochs" in changed or "training.steps" in changed
    can_start_from = experiment.family.has_epochs and len(experiment.model.stages()) < 2
    if has_new_length and can_start_from and is_finished(run):
        advice = (
            ". The run has finished. To continue from its weights, start another "
            f"run with 'training.start_from: {run.path}'"
        )
    raise InputError(
        f"{run.path} cannot be resumed with different settings. Changed: "
        f"{', '.join(changed)}{advice}"
    )
