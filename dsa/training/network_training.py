"""Trains a Keras model: prepares data, model and callbacks, and calls `fit`."""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import keras

from dsa.backends.compilation import (
    compiles_each_shape,
    compiling_ahead,
    enable_compilation_cache,
)
from dsa.backends.devices import Devices, set_matmul_precision
from dsa.backends.feed import feed
from dsa.data.batching.training_batches import TrainingRows
from dsa.experiment.config import Experiment
from dsa.inference.corpus_inference import PairInference, build_inference
from dsa.inference.loading import load
from dsa.inference.row_reading import measure_labelled_rows
from dsa.models.building import build_model
from dsa.models.family import Family
from dsa.models.model_config import Stage
from dsa.runs.run_folder import RunFolder
from dsa.tasks.class_weights import compute_class_weights
from dsa.training import callbacks
from dsa.training.checkpoint import Checkpoint
from dsa.training.optimization import count_parameters, make_loss, make_optimizer
from dsa.training.run_log import RunLog, log_best_evaluation, log_model
from dsa.training.run_state import New, Resumed
from dsa.training.schedules import make_learning_rate, make_schedule_callbacks
from dsa.training.start_weights import freeze, read_start_weights
from dsa.training.steps import generate_batches, make_batches, plan_steps
from dsa.training.training_corpora import TrainingFiles
from dsa.training.training_data import TrainingData, build_training_data
from dsa.training.training_state import load_state


def train_network(  # noqa: PLR0913
    experiment: Experiment,
    run: RunFolder,
    state: New | Resumed,
    files: TrainingFiles,
    stage: Stage,
    previous_run: RunFolder | None,
    run_log: RunLog,
    user_callbacks: Sequence[Any] = (),
) -> None:
    """Trains a Keras model until the last step of a stage or an early stop, and writes
    weights, history and training state to the run folder.

    Args:
        experiment: the `Experiment`.
        run: the run folder.
        state: `New`, or `Resumed` with the `TrainingRecord` of the saved state.
        files: training files, from `find_training_files`.
        stage: the training stage.
        previous_run: the finished run of the preceding stage; `None` for the first
            stage.
        run_log: writes `environment.json`.
        user_callbacks: user-defined Keras callbacks.

    Raises: see `dsa.training.train.train`.
    """
    task = experiment.task
    training = experiment.training
    seed = experiment.seed
    resumed_record = state.record if isinstance(state, Resumed) else None
    devices = Devices(training.devices)

    # weights of the run in `training.start_from`
    start_weights = None
    if files.source is not None:
        start_weights = read_start_weights(experiment, files.source, files.root)

    # data
    data = build_training_data(
        experiment,
        files,
        started_run=run if resumed_record else None,
        known_words=start_weights.words if start_weights else None,
    )
    if not resumed_record:
        data.write(run)
    batches = make_batches(data, training, experiment.data.training_options, seed)
    class_weights = None
    if training.class_weights:
        class_weights = compute_class_weights(
            training.class_weights,
            task.names,
            batches.labels,
            batches.training_rows.shares_per_epoch,
        )
    steps = plan_steps(training, batches.steps_per_epoch)

    # model and optimizer
    enable_compilation_cache()
    set_matmul_precision(training.matmul_precision)
    keras.utils.set_random_seed(seed)
    words = data.words
    with devices.build_scope():
        model = build_model(experiment, len(words.vocabulary), words.frozen_rows)
        freeze(model, training.frozen)
        learning_rate = make_learning_rate(training, steps.last)
        model.compile(
            optimizer=make_optimizer(training, model, learning_rate),
            loss=make_loss(training, task, class_weights),
            weighted_metrics=task.training_metrics(),
            jit_compile=compiles_each_shape(),
        )
        model.optimizer.build(model.trainable_variables)
        if resumed_record:
            load_state(run.state, model)
            start_from = run.environment().get("start_from")
        else:
            model.embedding.set_vectors(words.vectors)
            start_from = start_weights.copy_to(model) if start_weights else None
            if previous_run and stage.begin:
                stage.begin(model, load(previous_run, root=files.root).model)
                # `load` sets the precision of the previous run
                set_matmul_precision(training.matmul_precision)

    # callbacks
    # the history always contains the metric of the task
    other_metrics = []
    if experiment.dev_metric != task.selects:
        other_metrics = [task.selects]
    first_evaluated_step = training.evaluate_from
    if experiment.data.train_on_dev:
        # dev rows are training rows, so their metrics cannot select weights
        first_evaluated_step = steps.last
    before_evaluation = None
    if stage.before_evaluation:
        before_evaluation = functools.partial(
            stage.before_evaluation, experiment=experiment
        )
    dev_evaluation = callbacks.DevEvaluation(
        steps,
        make_dev_evaluation(
            experiment.family,
            model,
            data,
            batches.training_rows,
            devices,
            before_evaluation,
        ),
        experiment.dev_metric,
        first_step=first_evaluated_step,
        other_metrics=other_metrics,
    )
    schedule = make_schedule_callbacks(
        training, experiment.dev_metric, run, steps, batches.steps_per_epoch
    )
    checkpoint = Checkpoint(
        steps,
        run,
        experiment.dev_metric,
        batches.steps_per_epoch,
        schedule,
        resumed_record,
        keeps_last=training.select == "last",
        run_log=run_log,
        other_metrics=other_metrics,
    )

    # fit
    completed_steps = resumed_record.step if resumed_record else 0
    make_iterator = functools.partial(
        generate_batches, batches, completed_steps, devices
    )
    # another iterator over the first batches; their shapes are compiled ahead of `fit`
    example_batches = itertools.islice(make_iterator(), min(steps.interval, steps.last))
    description = {
        "seed": seed,
        **data.describe(),
        "steps_per_epoch": batches.steps_per_epoch,
        "parameters": count_parameters(model),
        "devices": len(devices),
        "frozen_rows": words.frozen_rows,
    }
    if start_from:
        description["start_from"] = start_from
    log_model(experiment.model, experiment.embedding, description)
    with run_log, devices.fit_scope():
        run_log.begin(description)
        with compiling_ahead(model, example_batches):
            model.fit(
                feed(make_iterator),
                steps_per_epoch=steps.interval,
                initial_epoch=resumed_record.evaluations if resumed_record else 0,
                epochs=steps.intervals,
                verbose=0,
                shuffle=False,  # `TrainingBatches` shuffles
                callbacks=[
                    callbacks.StopAtNaN(steps),
                    callbacks.Progress(steps, training.batch_size),
                    callbacks.StopAtStep(steps),
                    dev_evaluation,
                    *schedule,
                    *user_callbacks,
                    callbacks.LastEvaluation(dev_evaluation),
                    checkpoint,
                    callbacks.OverfittingHint(
                        steps,
                        batches.steps_per_epoch,
                        dev_evaluation,
                        checkpoint.history,
                        num_rows=len(data.labels),
                    ),
                ],
            )
    log_best_evaluation(checkpoint.history, experiment.dev_metric)


def make_dev_evaluation(  # noqa: PLR0913
    family: Family,
    model: Any,
    data: TrainingData,
    training_rows: TrainingRows,
    devices: Devices,
    before_evaluation: Callable[..., None] | None = None,
) -> Callable[[], dict[str, float]]:
    """Returns a function that evaluates a model on dev.

    Args:
        family: the family of the model.
        model: the compiled model.
        data: the training data, which contains the dev rows.
        training_rows: the rows of all batches, to which `before_evaluation` is applied.
        devices: the devices of the run.
        before_evaluation: function `before_evaluation(model, outputs, labels)` that is
            called before each evaluation, see `Stage.before_evaluation`; `None` to call
            no function.

    Returns: a function without arguments that returns the dev loss, the dev metrics and
        their standard errors.
    """
    dev_corpus = data.corpora["dev"]
    dev_rows = data.dev_rows
    inference = build_inference(family, model)

    @functools.cache  # each `PairInference` is compiled once
    def make_inference(**options):
        return PairInference(model, **options)

    def compute_train_outputs(**options):
        return make_inference(**options).logits(training_rows.rows)

    def evaluate():
        with devices.evaluate_scope():
            if before_evaluation:
                before_evaluation(model, compute_train_outputs, training_rows.labels)
            logits = inference.logits(dev_rows)
            return measure_labelled_rows(logits, dev_corpus, data.task)

    return evaluate
