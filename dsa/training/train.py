"""The way of a training: from a run folder to its last checkpoint."""

import contextlib
import functools
import itertools
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras

from dsa.backends.compilation import keep_programs
from dsa.backends.device_check import log_device
from dsa.backends.devices import Devices, raise_memory_error
from dsa.backends.feed import feed
from dsa.backends.programs_ahead import compiling_ahead
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.inference.corpus_inference import PairInference, build_inference
from dsa.inference.row_reading import measure_labelled_rows, read_labelled_rows
from dsa.runs.run_folder import RunFolder
from dsa.system.terminal import logging_to
from dsa.training import callbacks
from dsa.training.checkpoint import Checkpoint
from dsa.training.compiled_model import compiled_model, parameters
from dsa.training.open_run import open_run
from dsa.training.overfitting import OverfittingHint
from dsa.training.schedules import schedule_callbacks
from dsa.training.session import Report, Session, log_best, open_session
from dsa.training.stage_runs import StageRun, plan_stages
from dsa.training.steps import Steps, generate_batches, make_batches, plan_steps
from dsa.training.tracking.mirror import Mirror
from dsa.training.training_state import Record, load_state

LESS_MEMORY = "a smaller 'training.batch_size' or 'training.max_tokens' needs less"
log = logging.getLogger(__name__)


def train(  # noqa: PLR0913 (as `dsa.train`)
    experiment: Experiment,
    run: RunFolder,
    root: Path,
    command: str | None = None,
    resume: bool = True,
    own_callbacks: Sequence[Any] = (),
) -> None:
    """Train an experiment into a run folder, stage by stage, or resume it. A stopped
    run ends as if it had never stopped.

    Args:
        command: what was run, for `environment.json`.
        resume: whether to resume what the folder holds.
        own_callbacks: Keras callbacks of the user.

    Raises: `InputError` for data that is missing, malformed, or other than what the run
        was started with; for a run that has begun and lost its training state; for what
        the backend cannot do; for a GPU that is required and missing; and for a loss
        that is no number. A new run that fails before its first evaluation leaves
        nothing.
    """
    _check_callbacks(experiment, own_callbacks)
    with open_run(experiment, run, resume), logging_to(run.log, held=True):
        log_device(experiment.training.require_gpu)
        for one in plan_stages(experiment, run):
            if one.run is run:
                below = contextlib.nullcontext()
            elif one.is_finished():
                continue
            else:
                below = open_run(one.experiment, one.run)
            with below:
                if experiment.family.is_network:
                    train_network(one, root, command, own_callbacks)
                else:
                    from dsa.training.linear_training import train_linear

                    train_linear(one, root, command)


def _check_callbacks(experiment, own_callbacks):
    if own_callbacks and not experiment.family.is_network:
        raise InputError(
            f"'callbacks' are of Keras: '{experiment.model.name}' is trained without it"
        )
    for callback in own_callbacks:
        if not isinstance(callback, keras.callbacks.Callback):
            raise InputError(
                "'callbacks' must hold objects of `keras.callbacks.Callback`. "
                f"Received: {callback!r}"
            )


def train_network(
    one: StageRun,
    root: Path,
    command: str | None = None,
    own_callbacks: Sequence[Any] = (),
) -> None:
    """Train a Keras model to the last step of a stage.

    Raises: `InputError` as `train`; `MemoryError` where the memory of this machine or
        its GPU ends.
    """
    experiment, run = one.experiment, one.run
    devices = Devices(experiment.training.devices)
    session = open_session(one, root, command, resumed=run.state.is_file())
    data, selects = session.data, session.task.selects
    keep_programs()
    keras.utils.set_random_seed(experiment.seed)
    batches = make_batches(experiment, data)
    steps = plan_steps(experiment.training, batches.steps_per_epoch)
    with devices.building_scope():
        model, record = _start_or_resume(session, one, root, steps.last)
    facts = session.facts(
        parameters(model),
        devices=len(devices),
        frozen_rows=data.words.frozen_rows,
    )
    with Mirror(experiment, run) as mirror:
        report = Report(session, facts, batches.steps_per_epoch, mirror)
        if record and (record.stopped or record.step >= steps.last):
            report.end_again(record)
            return
        report.begin()
        with devices.training_scope(), raise_memory_error(LESS_MEMORY):
            schedule = schedule_callbacks(
                experiment.training, selects, run, steps, batches.steps_per_epoch
            )
            checkpoint = Checkpoint(
                steps,
                run,
                selects,
                batches.steps_per_epoch,
                schedule,
                record,
                experiment.training.select == "last",
                report.write,
            )
            dev = _evaluate_on_dev(session, one, model, devices, steps)
            begin = record.step if record else 0

            def batches_from_here():
                return generate_batches(batches, begin, devices)

            most = min(steps.interval, steps.last)
            with compiling_ahead(model, itertools.islice(batches_from_here(), most)):
                model.fit(
                    feed(batches_from_here),
                    steps_per_epoch=steps.interval,
                    initial_epoch=record.evaluations if record else 0,
                    epochs=steps.intervals,
                    verbose=0,
                    shuffle=False,  # the batches come in their order
                    callbacks=[
                        callbacks.StopAtNaN(steps),
                        callbacks.Progress(steps, experiment.training.batch_size),
                        callbacks.StopAtStep(steps),
                        dev,
                        *schedule,
                        *own_callbacks,
                        callbacks.LastEvaluation(dev),
                        checkpoint,
                        OverfittingHint(checkpoint, dev, len(data.labels)),
                    ],
                )
        log_best(checkpoint.history, selects)


def _start_or_resume(
    session: Session, one: StageRun, root: Path, last_step: int
) -> tuple[Any, Record | None]:
    """The compiled model, and the `Record` that it resumes at; `None` at the start."""
    words = session.data.words
    model = compiled_model(
        one.experiment, len(words.vocabulary), words.frozen_rows, last_step
    )
    if session.resumed:
        return model, load_state(one.run.state, model)
    model.embedding.set_vectors(words.vectors)
    if one.earlier and one.stage.begin:
        from dsa.inference.loading import load

        one.stage.begin(model, load(one.earlier.path, root=root).model)
    return model, None


def _evaluate_on_dev(
    session: Session, one: StageRun, model: Any, devices: Devices, steps: Steps
) -> callbacks.DevEvaluation:
    """The callback that evaluates on dev after each interval.

    If the model is trained on dev's rows too, dev selects nothing, and is evaluated
    after the last step only.
    """
    experiment, data, dev = one.experiment, session.data, session.data.corpora["dev"]
    inference = build_inference(experiment, model)
    rows = read_labelled_rows(data.reader, data.vocabulary, dev)

    call_with = functools.cache(functools.partial(PairInference, model))

    def outputs(**options):
        return call_with(**options).logits(data.rows)

    def evaluate():
        with devices.evaluation_scope():
            if one.stage.before_evaluation:
                one.stage.before_evaluation(model, outputs, data.labels, experiment)
            return measure_labelled_rows(inference.logits(rows), dev, data.task)

    return callbacks.DevEvaluation(
        steps,
        evaluate,
        session.task.selects,
        steps.last
        if experiment.data.train_on_dev
        else experiment.training.evaluate_from,
    )
