"""Training of a Keras model: data, model, optimizer, `fit`."""

import functools
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras

from dsa.backends.compilation import compiles_each_shape, keep_programs
from dsa.backends.devices import Devices, raise_memory_error
from dsa.backends.feed import feed
from dsa.backends.matmul_precision import set_matmul_precision
from dsa.backends.programs_ahead import compiling_ahead
from dsa.inference.corpus_inference import PairInference, build_inference
from dsa.inference.row_reading import measure_labelled_rows, read_labelled_rows
from dsa.models.registry import build_model
from dsa.tasks.class_weights import compute_class_weights
from dsa.training import callbacks
from dsa.training.checkpoint import Checkpoint
from dsa.training.optimization import count_parameters, make_loss, make_optimizer
from dsa.training.overfitting import OverfittingHint
from dsa.training.run_log import RunLog, log_best
from dsa.training.run_state import New, Resumed
from dsa.training.schedules import schedule_callbacks
from dsa.training.stage_runs import StageRun
from dsa.training.steps import generate_batches, make_batches, plan_steps
from dsa.training.training_data import TrainingData, build_training_data
from dsa.training.training_state import load_state

LESS_MEMORY = "a smaller 'training.batch_size' or 'training.max_tokens' needs less"


def train_network(
    stage: StageRun,
    state: New | Resumed,
    root: Path,
    command: str | None = None,
    own_callbacks: Sequence[Any] = (),
) -> None:
    """Trains a Keras model to the last step of a stage.

    Args:
        stage: the stage, with its experiment and run folder.
        state: the state of the run folder.
        root, command, own_callbacks: see `dsa.training.train.train`.

    Raises: `InputError` as `dsa.training.train.train`; `MemoryError` if the memory of
        the machine or its GPU is exhausted.
    """
    experiment, run = stage.experiment, stage.run
    task, training, seed = experiment.task, experiment.training, experiment.seed
    train_on_dev = experiment.data.train_on_dev
    record = state.record if isinstance(state, Resumed) else None
    devices = Devices(training.devices)
    run_log = RunLog(experiment, run, command, run.environment() if record else {})

    # data
    data = build_training_data(experiment, root, run if record else None)
    if not record:
        data.write(run)
    batches = make_batches(data, training, experiment.data.training_options, seed)
    steps = plan_steps(training, batches.steps_per_epoch)

    # model and optimizer
    keep_programs()
    set_matmul_precision(training.matmul_precision)
    keras.utils.set_random_seed(seed)
    words = data.words
    with devices.building_scope():
        model = build_model(experiment, len(words.vocabulary), words.frozen_rows)
        model.compile(
            optimizer=make_optimizer(training, model, steps.last),
            loss=make_loss(
                training,
                task,
                compute_class_weights(training.class_weights, task.names, data.labels),
            ),
            weighted_metrics=task.training_metrics(),
            jit_compile=compiles_each_shape(),
        )
        model.optimizer.build(model.trainable_variables)
        if record:
            load_state(run.state, model)
        else:
            model.embedding.set_vectors(words.vectors)
            if stage.earlier and stage.stage.begin:
                from dsa.inference.loading import load

                stage.stage.begin(model, load(stage.earlier.path, root=root).model)

    # callbacks
    # every history has the metric of the task, whichever selects
    reported = [] if experiment.dev_metric == task.selects else [task.selects]
    dev = callbacks.DevEvaluation(
        steps,
        make_evaluation(stage, model, data, devices),
        experiment.dev_metric,
        # dev rows that are trained on select nothing
        first=steps.last if train_on_dev else training.evaluate_from,
        reported=reported,
    )
    schedule = schedule_callbacks(
        training, experiment.dev_metric, run, steps, batches.steps_per_epoch
    )
    checkpoint = Checkpoint(
        steps,
        run,
        experiment.dev_metric,
        batches.steps_per_epoch,
        schedule,
        record,
        keeps_last=training.select == "last",
        run_log=run_log,
        reported=reported,
    )

    # fit
    first_step = record.step if record else 0
    make_iterator = functools.partial(generate_batches, batches, first_step, devices)
    interval = itertools.islice(make_iterator(), min(steps.interval, steps.last))
    with run_log, devices.training_scope(), raise_memory_error(LESS_MEMORY):
        run_log.begin(
            {
                **data.facts(),
                "steps_per_epoch": batches.steps_per_epoch,
                "parameters": count_parameters(model),
                "devices": len(devices),
                "frozen_rows": words.frozen_rows,
            }
        )
        with compiling_ahead(model, interval):
            model.fit(
                feed(make_iterator),
                steps_per_epoch=steps.interval,
                initial_epoch=record.evaluations if record else 0,
                epochs=steps.intervals,
                verbose=0,
                shuffle=False,  # `generate_batches` has shuffled
                callbacks=[
                    callbacks.StopAtNaN(steps),
                    callbacks.Progress(steps, training.batch_size),
                    callbacks.StopAtStep(steps),
                    dev,
                    *schedule,
                    *own_callbacks,
                    callbacks.LastEvaluation(dev),
                    checkpoint,
                    OverfittingHint(checkpoint, dev, len(data.labels)),
                ],
            )
    log_best(checkpoint.history, experiment.dev_metric)


def make_evaluation(
    stage: StageRun, model: Any, data: TrainingData, devices: Devices
) -> Callable[[], dict[str, float]]:
    """Returns a function that evaluates a model on dev.

    Args:
        stage: the stage, which may refit the final classifier before each evaluation.
        model: the compiled model.
        data: the training data, with dev.
        devices: the devices of the training.

    Returns: a function without arguments that returns the task's metrics.
    """
    experiment, dev = stage.experiment, data.corpora["dev"]
    prepare = stage.stage.before_evaluation
    inference = build_inference(experiment.family, model)
    rows = read_labelled_rows(data.reader, data.vocabulary, dev)
    cached_inference = functools.cache(functools.partial(PairInference, model))

    def compute_outputs(**options):
        return cached_inference(**options).logits(data.rows)

    def evaluate():
        with devices.evaluation_scope():
            if prepare:
                prepare(model, compute_outputs, data.labels, experiment)
            return measure_labelled_rows(inference.logits(rows), dev, data.task)

    return evaluate
