"""Trains an experiment, or one of its stages, in a run folder."""

import logging
from collections.abc import Sequence
from typing import Any

import keras

from dsa.backends.devices import convert_memory_errors
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.models.family import Family
from dsa.models.model_config import Stage
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import read_history
from dsa.system.reading import fingerprint
from dsa.training.linear_training import train_linear
from dsa.training.network_training import train_network
from dsa.training.run_log import RunLog, log_best_evaluation
from dsa.training.run_state import Finished, New, RunState
from dsa.training.training_corpora import TrainingFiles
from dsa.training.training_data import check_unchanged

MEMORY_ADVICE = (
    "reduce 'training.batch_size', 'training.max_tokens' or the sizes of 'model'"
)
log = logging.getLogger(__name__)


def train(  # noqa: PLR0913
    experiment: Experiment,
    run: RunFolder,
    state: RunState,
    files: TrainingFiles,
    stage: Stage = Stage(),  # noqa: B008 (immutable)
    previous_run: RunFolder | None = None,
    command: str | None = None,
    user_callbacks: Sequence[Any] = (),
) -> None:
    """Trains an experiment, or one of its stages, to the last step.

    Resuming an interrupted run gives the same weights as training without interruption.
    For a finished run, only missing log entries are written.

    Args:
        experiment: the `Experiment`.
        run: the run folder, locked by `open_run`.
        state: the `RunState` yielded by `open_run`.
        files: training files, from `find_training_files`.
        stage: the training stage.
        previous_run: the finished run of the preceding stage; `None` for the first
            stage.
        command: command line, recorded in `environment.json`.
        user_callbacks: user-defined Keras callbacks.

    Raises: `InputError` if the data are malformed or have changed since the run was
        started, if the backend does not support a setting, or if the loss becomes NaN
        or infinite. `MemoryError` if the memory of the machine or its GPU is exhausted.
    """
    environment = {} if isinstance(state, New) else run.environment()
    settings = experiment.model_dump(mode="json")
    run_log = RunLog(run, settings, experiment.training.track, command, environment)
    if isinstance(state, Finished):
        complete_log(run, state, files, run_log, experiment.dev_metric)
    elif experiment.family.is_network:
        with convert_memory_errors(MEMORY_ADVICE):
            train_network(
                experiment,
                run,
                state,
                files,
                stage,
                previous_run,
                run_log,
                user_callbacks,
            )
    else:
        train_linear(experiment, run, files, run_log)


def check_callbacks(user_callbacks: Sequence[Any], family: Family) -> None:
    """Checks the callbacks of the user.

    Args:
        user_callbacks: user-defined Keras callbacks.
        family: model family of the experiment.

    Raises: `InputError` if an object is not a Keras callback, or if there are callbacks
        but the model is trained without Keras.
    """
    if user_callbacks and not family.has_epochs:
        raise InputError(
            "'callbacks' require a model that is trained with Keras. "
            f"Received: model '{family.name}'"
        )
    for callback in user_callbacks:
        if not isinstance(callback, keras.callbacks.Callback):
            raise InputError(
                "'callbacks' must be instances of `keras.callbacks.Callback`. "
                f"Received: {callback!r}"
            )


def complete_log(
    run: RunFolder,
    state: Finished,
    files: TrainingFiles,
    run_log: RunLog,
    dev_metric: str,
) -> None:
    """Completes the log of a finished run whose process was killed.

    Writes the missing log entry of the last evaluation, and sends missing rows of the
    history to the trackers.

    Args:
        run: the run folder.
        state: the `Finished` state of the run.
        files: training files, from `find_training_files`.
        run_log: the log of the run.
        dev_metric: name of the metric that selects the weights.

    Raises: `InputError` if the data files have changed.
    """
    fingerprints = {}
    for split, path in files.paths.items():
        fingerprints[split] = fingerprint(path)
    check_unchanged(run, fingerprints)
    log.info("%s: training is already finished", run.path)
    with run_log:
        if state.record:
            log_best_evaluation(state.record.history, dev_metric)
            run_log.complete(state.record)
        else:
            run_log.track(read_history(run))
