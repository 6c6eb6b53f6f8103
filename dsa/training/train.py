"""Training of all stages of an experiment."""

import contextlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras

from dsa.backends.device_check import log_device
from dsa.data.corpora.files import fingerprint_if_present
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.models.registry import Family
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.runs.run_records import read_history
from dsa.system.terminal import logging_to
from dsa.training.linear_training import train_linear
from dsa.training.network_training import train_network
from dsa.training.run_log import RunLog, log_best
from dsa.training.run_state import Finished, RunState, open_run
from dsa.training.stage_runs import StageRun, plan_stages
from dsa.training.training_data import check_unchanged

log = logging.getLogger(__name__)


def train(  # noqa: PLR0913 (as `dsa.train`)
    experiment: Experiment,
    run: RunFolder,
    state: RunState,
    root: Path,
    command: str | None = None,
    own_callbacks: Sequence[Any] = (),
) -> None:
    """Trains the unfinished stages of an experiment in training order.

    A resumed run ends with the same weights as an uninterrupted run.

    Args:
        experiment: the `Experiment`.
        run: the run folder, locked by `open_run`.
        state: the `RunState` yielded by `open_run`.
        root: the data root.
        command: command line, recorded in `environment.json`.
        own_callbacks: Keras callbacks of the user.

    Raises: `InputError` if the data are missing, malformed or have changed since the
        run was started; if the backend does not support a setting; if a required GPU
        is missing; or if the loss is not finite.
    """
    check_callbacks(own_callbacks, experiment.family)
    with logging_to(run.log, held=True):
        log_device(experiment.training.require_gpu)
        for stage in plan_stages(experiment, run, state):
            if stage.run is run:
                opened = contextlib.nullcontext(state)
            elif is_finished(stage.run):
                continue
            else:
                opened = open_run(stage.experiment, stage.run)
            with opened as stage_state:
                if isinstance(stage_state, Finished):
                    log_finished(stage, stage_state, root)
                elif experiment.family.is_network:
                    train_network(stage, stage_state, root, command, own_callbacks)
                else:
                    train_linear(stage, root, command)


def check_callbacks(own_callbacks: Sequence[Any], family: Family) -> None:
    """Raises `InputError` for objects that are not Keras callbacks, and for any
    callbacks of a model that is trained without Keras."""
    if own_callbacks and not family.has_epochs:
        raise InputError(f"'callbacks': '{family.name}' is trained without Keras")
    for callback in own_callbacks:
        if not isinstance(callback, keras.callbacks.Callback):
            raise InputError(
                "'callbacks' must hold objects of `keras.callbacks.Callback`. "
                f"Received: {callback!r}"
            )


def log_finished(stage: StageRun, state: Finished, root: Path) -> None:
    """Completes the log of a finished stage.

    Writes the entry of the last evaluation if the process was killed before writing
    it, and sends missing rows of the history to the trackers.

    Args:
        stage: the finished `StageRun`.
        state: the state of the stage's run folder.
        root: the data root.

    Raises: `InputError` if the data files have changed. Missing files are ignored.
    """
    run, record = stage.run, state.record
    fingerprints = {
        split: fingerprint_if_present(root, file)
        for split, file in stage.experiment.data.training_files.items()
    }
    check_unchanged(run, fingerprints)
    log.info("%s has finished training already", run.path)
    with RunLog(stage.experiment, run, facts=run.environment()) as run_log:
        if record:
            log_best(record.history, stage.experiment.dev_metric)
            run_log.complete(record)
        else:
            run_log.track(read_history(run))
