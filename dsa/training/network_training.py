"""An experiment from data to a finished run folder."""

import hashlib
import logging
import time

import keras

from dsa import environment
from dsa.backends.compilation import keep_programs
from dsa.backends.description import describe
from dsa.backends.devices import Devices
from dsa.backends.feed import feed
from dsa.data.batching.fixed_size import filled
from dsa.data.corpora.catalogue import corpus_named
from dsa.data.prepared.rows import joined
from dsa.errors import InputError
from dsa.experiment.run_folder import FORMAT
from dsa.inference.corpus_inference import inference_of
from dsa.inference.corpus_metrics import evaluate_corpus
from dsa.training import callbacks
from dsa.training.checkpoint import Checkpoint, evaluated
from dsa.training.compiled_model import compiled_model, parameters, refuse_steps_at_once
from dsa.training.progress import Progress
from dsa.training.schedules import schedule_callbacks
from dsa.training.steps import Steps
from dsa.training.training_data import (
    batches_of,
    data_facts,
    embedding_of,
    read_corpora,
    refuse_other_data,
)
from dsa.training.training_state import load_state

log = logging.getLogger(__name__)


def train(experiment, run, root, command=None):
    """Train an experiment into a run folder, or go on where it was.

    Args:
        experiment: a `Experiment`.
        run: a `RunFolder` that holds the experiment's `config.yaml`; where it holds a
            training state too, training goes on from it and ends as if it had never
            stopped.
        root: the data root.
        command: what was run, for `environment.json`.

    Raises: `InputError` for data that is missing, malformed, or other than what the
        run started with, and when the loss is no number any more.
    """
    began = time.perf_counter()
    keep_programs()
    keras.utils.set_random_seed(experiment.seed)
    devices = Devices(experiment.training.devices)
    refuse_steps_at_once(experiment.training)
    task = corpus_named(experiment.data.corpus).task
    stored = run.splits() if run.state.is_file() else None
    corpora, splits = read_corpora(experiment, root, task, stored)
    trained_on = corpora["train"]
    if "mix" in corpora:
        trained_on = joined(trained_on, corpora["mix"])
    if run.state.is_file():
        earlier = run.environment()
        refuse_other_data(run, earlier, corpora)
        vocabulary = run.vocabulary()
        frozen_rows = earlier.get("frozen_rows", 0)
        with devices.making():
            model = compiled_model(experiment, len(vocabulary), frozen_rows)
            record = load_state(run.state, model)
        vectors_sha256 = earlier["sha256"].get("vectors")
    else:
        earlier, record = {}, None
        vocabulary, vectors, frozen_rows = embedding_of(
            experiment, root, trained_on, corpora["dev"]
        )
        with devices.making():
            model = compiled_model(experiment, len(vocabulary), frozen_rows)
            model.embedding.set_vectors(vectors)
        vectors_sha256 = hashlib.sha256(vectors.tobytes()).hexdigest()
        run.write("vocabulary.txt", vocabulary.to_text())
        if splits:
            run.write_json("splits.json", {s: r.tolist() for s, r in splits.items()})
    batches = batches_of(experiment, vocabulary, trained_on)
    steps = _steps(experiment.training, batches)
    finished = record and (record["stopped"] or record["step"] >= steps.last)
    if finished:
        log.info("%s has finished training already", run.path)
        _log_best(record["history"], task.metric)
        if earlier.get("steps") == record["step"]:
            return
    facts = {
        "run_format": FORMAT,
        "command": command,
        **describe(),
        "devices": len(devices),
        "seed": experiment.seed,
        "frozen_rows": frozen_rows,
        **data_facts(vocabulary, corpora, vectors_sha256),
        "parameters": parameters(model),
        "wall_seconds": earlier.get("wall_seconds", 0),
    }

    def report(history, stopped):
        times = _times(history, batches, facts, began)
        run.write_json("environment.json", {**facts, **times, "stopped": stopped})

    if finished:  # killed between its last state and its last report
        report(record["history"], record["stopped"])
        return
    run.write_json("environment.json", facts)
    _log_facts(facts, experiment)
    inference, dev = inference_of(model), corpora["dev"]
    dev_sentences = vocabulary.sentences(dev)

    def evaluate_dev():
        with devices.evaluating():
            return evaluate_corpus(inference, dev_sentences, dev, task)

    with devices.training():
        _fit(
            experiment.training,
            run,
            task,
            model,
            batches,
            devices,
            steps,
            evaluate_dev,
            record,
            report,
        )


def _log_facts(facts, experiment):
    for split, unknown in facts["unknown"].items():
        log.info(
            "%s: %.2f %% of words and %.2f %% of tokens unknown",
            split,
            100 * unknown["unknown_word_share"],
            100 * unknown["unknown_token_share"],
        )
    log.info(
        "%s: %s trainable parameters without embeddings, vocabulary of %d",
        experiment.model.name,
        f"{facts['parameters']['trainable_without_embeddings']:,}",
        facts["vocabulary_size"],
    )


def _times(history, batches, facts, began):
    """Steps, seconds and memory so far; `seconds_per_epoch` is of training steps."""
    steps = history[-1]["step"]
    seconds = sum(row["seconds"] for row in history)
    return {
        "steps": steps,
        "steps_per_epoch": batches.steps_per_epoch,
        "seconds_per_epoch": round(seconds * batches.steps_per_epoch / steps, 3),
        "wall_seconds": round(facts["wall_seconds"] + time.perf_counter() - began, 3),
        "peak_memory_bytes": environment.peak_memory(),
    }


def _steps(config, batches):
    last = config.last_step(batches.steps_per_epoch)
    if config.evaluate_from > last:
        raise InputError(
            f"'training.evaluate_from', {config.evaluate_from}, is behind the last "
            f"step, {last}: nothing would be selected"
        )
    interval = config.evaluate_every or batches.steps_per_epoch
    return Steps(interval, last, config.steps_at_once)


def _fit(
    config, run, task, model, batches, devices, steps, evaluate_dev, record, report
):
    """Train to the last step, from where `record` says, or from the start."""
    schedule = schedule_callbacks(config, task, run)
    checkpoint = Checkpoint(
        steps, run, task.metric, batches.steps_per_epoch, schedule, record, report
    )
    first = record["step"] if record else 0

    def taken(numbers):
        if steps.at_once > 1:
            return batches.stacked(numbers)
        batch = batches.batch(numbers[0])
        if len(devices) > 1:
            batch = filled(batch, devices.rows(len(batch[1])))
        return batch

    model.fit(
        feed(lambda: map(taken, steps.ranges(first))),
        steps_per_epoch=steps.calls,
        initial_epoch=record["evaluations"] if record else 0,
        epochs=steps.intervals,
        verbose=0,
        shuffle=False,  # the batches come in their order
        callbacks=[
            callbacks.StopAtNaN(steps),
            Progress(steps, config.batch_size),
            callbacks.StopAtStep(steps),
            callbacks.DevEvaluation(
                steps, evaluate_dev, task.metric, config.evaluate_from
            ),
            *schedule,
            *_tensorboard(config, run),
            checkpoint,
        ],
    )
    _log_best(checkpoint.history, task.metric)


def _log_best(history, metric):
    best = max(evaluated(history, metric))
    log.info(
        "best dev %s %.4f at step %d of %d",
        metric,
        best,
        next(row["step"] for row in history if row[f"val_{metric}"] == best),
        history[-1]["step"],
    )


def _tensorboard(config, run):
    if not config.tensorboard:
        return []
    if keras.backend.backend() != "tensorflow":
        raise InputError("'training.tensorboard' needs the TensorFlow backend")
    try:
        import tensorboard  # noqa: F401
    except ImportError as error:
        raise InputError(
            "'training.tensorboard' needs the package tensorboard: pip install "
            "tensorboard"
        ) from error
    return [
        keras.callbacks.TensorBoard(str(run.path / "tensorboard"), write_graph=False)
    ]
