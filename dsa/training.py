"""An experiment from data to a finished run folder."""

import logging
import time

import keras
import numpy as np

from dsa import callbacks, environment
from dsa.data.batches import PairBatches
from dsa.data.embeddings import build_embedding
from dsa.data.feed import feed
from dsa.data.files import find_file
from dsa.data.prepared import prepare
from dsa.data.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.evaluation import evaluate_corpus
from dsa.inference import PairInference
from dsa.models import build_model
from dsa.run_folder import FORMAT
from dsa.seeds import derived_seed
from dsa.tasks import TASKS
from dsa.training_state import load_state

log = logging.getLogger(__name__)


def train(experiment, run, root, command=None):
    """Train an experiment into a run folder, or go on where it was.

    Args:
        experiment: a `dsa.config.Experiment`.
        run: a `RunFolder` that holds the experiment's `config.yaml`; where it holds a
            training state too, training goes on from it and ends as if it had never
            stopped.
        root: the data root.
        command: what was run, for `environment.json`.

    Raises: `InputError` for data that is missing, malformed, or other than what the
        run started with, and when the loss is no number any more.
    """
    began = time.perf_counter()
    keras.utils.set_random_seed(experiment.seed)
    task = TASKS[experiment.data.corpus]
    tokenize = Tokenizer(**experiment.tokenizer.model_dump())
    corpora = {
        split: prepare(
            find_file(root, getattr(experiment.data, split)),
            experiment.data.corpus,
            tokenize,
            task.labels,
        )
        for split in ("train", "dev")
    }
    vocabulary, vectors = _embedding(experiment, run, root, corpora)
    facts = _facts(experiment, vocabulary, vectors, corpora, command)
    if run.state.is_file():
        _refuse_other_data(run, facts)
    coverage = facts["unknown"]
    for split in corpora:
        log.info(
            "%s: %.2f %% of words and %.2f %% of tokens unknown",
            split,
            100 * coverage[split]["unknown_word_share"],
            100 * coverage[split]["unknown_token_share"],
        )

    model = _compiled(experiment, len(vocabulary), len(task.labels))
    record = None
    if run.state.is_file():
        record = load_state(run.state, model)
    else:
        model.embedding.set_vectors(vectors)
        run.write("vocabulary.txt", vocabulary.to_text())
    facts["parameters"] = _parameters(model)
    run.write_json("environment.json", facts)
    log.info(
        "%s: %s trainable parameters without embeddings, vocabulary of %d",
        experiment.model.name,
        f"{facts['parameters']['trainable_without_embeddings']:,}",
        len(vocabulary),
    )
    _fit(experiment, run, task, model, vocabulary, corpora, record, facts, began)


def _embedding(experiment, run, root, corpora):
    """The run's vocabulary, and the vectors if it has not begun to train them."""
    if run.state.is_file():
        return run.vocabulary(), None
    config = experiment.embedding
    return build_embedding(
        config,
        corpora["train"].words,
        corpora["dev"].words,
        find_file(root, config.path) if config.path else None,
        experiment.tokenizer.lowercase,
        derived_seed(experiment.seed, "vectors"),
    )


def _facts(experiment, vocabulary, vectors, corpora, command):
    return {
        "run_format": FORMAT,
        "command": command,
        **environment.describe(),
        "seed": experiment.seed,
        "vocabulary_size": len(vocabulary),
        "sha256": {split: corpus.fingerprint for split, corpus in corpora.items()},
        "pairs": {split: len(corpus.labelled) for split, corpus in corpora.items()},
        "unlabelled": {
            split: len(corpus) - len(corpus.labelled)
            for split, corpus in corpora.items()
        },
        "unknown": {
            split: vocabulary.coverage(corpus) for split, corpus in corpora.items()
        },
    }


def _refuse_other_data(run, facts):
    found = run.environment()["sha256"]
    if found != facts["sha256"]:
        changed = [s for s in found if found[s] != facts["sha256"].get(s)]
        raise InputError(
            f"{run.path} cannot be resumed: {' and '.join(changed)} data are not what "
            "it was started with"
        )


OPTIMIZERS = {
    "adam": keras.optimizers.Adam,
    "adadelta": keras.optimizers.Adadelta,
    "adagrad": keras.optimizers.Adagrad,
    "sgd": keras.optimizers.SGD,
}


def _compiled(experiment, vocabulary_size, labels):
    config = experiment.training
    model = build_model(experiment, vocabulary_size, labels)
    settings = config.optimizer.model_dump()
    optimizer = OPTIMIZERS[settings.pop("name")](
        learning_rate=config.learning_rate, global_clipnorm=config.clip_norm, **settings
    )
    model.compile(
        optimizer,
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
        # lengths differ from batch to batch: XLA would compile one program for each
        jit_compile=keras.backend.backend() == "jax",
    )
    optimizer.build(model.trainable_variables)
    return model


def _parameters(model):
    def count(variables):
        return int(sum(np.prod(variable.shape) for variable in variables))

    table = count([model.embedding.table.embeddings])
    trained_table = table if model.embedding.train_vectors else 0
    return {
        "trainable_without_embeddings": count(model.trainable_variables)
        - trained_table,
        "embeddings": table,
        "embeddings_trained": bool(trained_table),
    }


def _fit(experiment, run, task, model, vocabulary, corpora, record, facts, began):
    config = experiment.training
    train_corpus, dev = corpora["train"], corpora["dev"]
    rows = train_corpus.labelled
    if not len(rows):
        raise InputError(f"{experiment.data.train}: no row has a label")
    batches = PairBatches(
        vocabulary.sentences(train_corpus),
        train_corpus.premise[rows],
        train_corpus.hypothesis[rows],
        train_corpus.labels[rows],
        config.batch_size,
        derived_seed(experiment.seed, "batches"),
        config.length_window,
    )
    last = config.epochs * batches.steps_per_epoch
    interval = config.evaluate_every or batches.steps_per_epoch
    dev_sentences = vocabulary.sentences(dev)
    inference = PairInference(model)

    def report(history):
        steps = history[-1]["step"]
        seconds = sum(row["seconds"] for row in history)
        run.write_json(
            "environment.json",
            {
                **facts,
                "steps": steps,
                "steps_per_epoch": batches.steps_per_epoch,
                "seconds_per_epoch": round(
                    seconds * batches.steps_per_epoch / steps, 3
                ),
                "wall_seconds": round(before + time.perf_counter() - began, 3),
                "peak_memory_bytes": environment.peak_memory(),
            },
        )

    before = run.environment().get("wall_seconds", 0) if record else 0
    deciding = _schedule(config, task)
    checkpoint = callbacks.Checkpoint(
        interval,
        run,
        task.metric,
        batches.steps_per_epoch,
        deciding,
        record,
        report,
    )
    if record and (record["stopped"] or record["step"] >= last):
        log.info("%s has finished training already", run.path)
    else:
        start = record["step"] if record else 0

        def from_start():
            step = start
            while True:
                yield batches.batch(step)
                step += 1

        model.fit(
            feed(from_start),
            steps_per_epoch=interval,
            initial_epoch=record["evaluations"] if record else 0,
            epochs=-(-last // interval),
            verbose=0,
            shuffle=False,  # the batches come in their order
            callbacks=[
                callbacks.StopAtNaN(interval),
                callbacks.Progress(interval, last, config.batch_size),
                callbacks.StopAtStep(interval, last),
                callbacks.DevEvaluation(
                    lambda: evaluate_corpus(inference, dev_sentences, dev, task.labels),
                    task.metric,
                ),
                *deciding,
                *_tensorboard(config, run),
                checkpoint,
            ],
        )
    best = max(checkpoint.history, key=lambda row: row[f"val_{task.metric}"])
    log.info(
        "best dev %s %.4f at step %d of %d",
        task.metric,
        best[f"val_{task.metric}"],
        best["step"],
        checkpoint.history[-1]["step"],
    )


def _schedule(config, task):
    """The callbacks that decide on learning rate and end by the dev metric."""
    watched = {"monitor": f"val_{task.metric}", "mode": "max"}
    decided = []
    if config.schedule.name == "halve_on_plateau":
        decided.append(
            keras.callbacks.ReduceLROnPlateau(
                factor=0.5,
                patience=config.schedule.patience,
                min_lr=config.schedule.minimum,
                min_delta=0,
                **watched,
            )
        )
    if config.early_stopping:
        decided.append(
            keras.callbacks.EarlyStopping(patience=config.early_stopping, **watched)
        )
    return decided


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
