"""Trains an experiment into a run folder, stage by stage."""

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
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.runs.run_records import read_history
from dsa.system.terminal import logging_to
from dsa.training.linear_training import train_linear
from dsa.training.network_training import train_network
from dsa.training.run_log import RunLog, log_best
from dsa.training.run_state import Finished, RunState, open_run
from dsa.training.stage_runs import plan_stages

log = logging.getLogger(__name__)


def train(  # noqa: PLR0913 (as `dsa.train`)
    experiment: Experiment,
    run: RunFolder,
    state: RunState,
    root: Path,
    command: str | None = None,
    own_callbacks: Sequence[Any] = (),
) -> None:
    """Trains an experiment into an open run folder, stage by stage.

    A resumed run ends with the same weights as an uninterrupted one.

    Args:
        experiment: the `Experiment`.
        run: the run folder, held by `open_run`.
        state: the state of the run, as `open_run` yields it.
        root: the data root.
        command: the command, for `environment.json`.
        own_callbacks: Keras callbacks of the user.

    Raises: `InputError` for data that is missing, malformed or has changed since the
        run was started; for settings that the backend does not support; for a missing
        GPU that is required; and for a loss that is not finite.
    """
    check_callbacks(own_callbacks, experiment)
    with logging_to(run.log, held=True):
        log_device(experiment.training.require_gpu)
        if isinstance(state, Finished):
            _log_finished(experiment, run, state, root)
        for stage in plan_stages(experiment, run, state):
            if stage.run is run:
                opened = contextlib.nullcontext(state)
            elif is_finished(stage.run):
                continue
            else:
                opened = open_run(stage.experiment, stage.run)
            with opened as stage_state:
                if isinstance(stage_state, Finished):
                    _log_finished(stage.experiment, stage.run, stage_state, root)
                elif experiment.family.is_network:
                    train_network(stage, stage_state, root, command, own_callbacks)
                else:
                    train_linear(stage, root, command)


def check_callbacks(own_callbacks: Sequence[Any], experiment: Experiment) -> None:
    """Raises `InputError` for callbacks that this training cannot call."""
    if own_callbacks and not experiment.family.has_epochs:
        raise InputError(
            f"'callbacks': '{experiment.model.name}' is trained without Keras"
        )
    for callback in own_callbacks:
        if not isinstance(callback, keras.callbacks.Callback):
            raise InputError(
                "'callbacks' must hold objects of `keras.callbacks.Callback`. "
                f"Received: {callback!r}"
            )


def _log_finished(experiment, run, state, root):
    """Completes the log of a finished run that was killed before its last entry, and
    sends the history to trackers that lack rows."""
    facts = run.environment()
    for split, file in experiment.data.training_files.items():
        if fingerprint_if_present(root, file) not in (None, facts["sha256"].get(split)):
            raise InputError(
                f"{run.path} cannot be resumed: {split} data have changed since it was "
                "started"
            )
    log.info("%s has finished training already", run.path)
    record = state.record
    history = record.history if record else read_history(run)
    if record:
        log_best(history, experiment.task.selects)
    with RunLog(experiment, run, facts=facts) as run_log:
        if record and facts.get("steps") != record.step:
            epochs = history[-1]["epoch"]
            run_log.facts.setdefault("steps_per_epoch", round(record.step / epochs))
            run.write_record()
            run_log.write(history, record.stopped)
        else:
            run_log.track(history)
