"""Training of a linear model, into a run folder like every other's."""

import logging
import time
from pathlib import Path
from typing import Any

import numpy as np

from dsa.inference.row_reading import measure_labelled_rows, read_labelled_rows
from dsa.models.classifiers.refit import read_weights
from dsa.models.registry import build_model
from dsa.runs.run_folder import is_finished
from dsa.runs.run_records import read_history
from dsa.system import environment
from dsa.system.terminal import show_progress
from dsa.system.text_tables import comma_separated
from dsa.training.session import Session, open_session
from dsa.training.stage_runs import StageRun
from dsa.training.tracking.mirror import Mirror

MOST_ITERATIONS = 500  # of the logistic regression
MOST_SVM_ITERATIONS = 10_000
log = logging.getLogger(__name__)


def train_linear(one: StageRun, root: Path, command: str | None = None) -> None:
    """Fit a linear classifier for each of the model's `strengths`, the C of
    scikit-learn (a high one is little regularization); dev selects one. Writes weights,
    history and facts.

    A run that was stopped starts again. A finished one only gives the trackers what
    they lack.

    Args: as `dsa.training.train.train_network`.
    """
    experiment, run = one.experiment, one.run
    finished = run.features.is_file() and is_finished(run)
    session = open_session(one, root, command, resumed=finished)
    if finished:
        log.info("%s has finished training already", run.path)
        history = read_history(run)
    else:
        history = _fit(session)
    with Mirror(experiment, run) as mirror:
        mirror.write(history)


def _fit(session: Session) -> list[dict[str, Any]]:
    """Fit, select and write; returns the history."""
    experiment, run, data = session.experiment, session.run, session.data
    model = build_model(experiment, len(data.vocabulary))
    features = model.learn_features(data.rows)
    log.info("features: %d", features.shape[1])
    history: list[dict[str, Any]] = []
    best, best_weights = {}, ()
    selects = f"val_{session.task.selects}"
    dev_rows = read_labelled_rows(data.reader, data.vocabulary, data.corpora["dev"])
    dev_features = model.features(dev_rows)
    config: Any = experiment.model
    for strength in show_progress(config.strengths, "fitting", len(config.strengths)):
        row, weights = _fit_one(session, model, features, dev_features, strength)
        history.append({"evaluation": len(history) + 1, **row})
        if not best or row[selects] > best[selects]:
            best, best_weights = row, weights
    model.set_weights(*best_weights)
    with run.replace(run.features.name) as path:
        model.save(path)
    run.write("history.csv", comma_separated(history))
    run.write_record()
    _write_facts(session, model, best)
    return history


def _fit_one(session, model, features, dev_features, strength):
    """The row of the history of one strength, and its kernel and bias."""
    data, task = session.data, session.task
    started = time.perf_counter()
    classifier = _make_classifier(session.experiment, strength)
    classifier.fit(features, data.labels)
    iterations = max(1, int(np.max(classifier.n_iter_)))
    weights = read_weights(classifier, task.outputs)
    model.set_weights(*weights)
    seconds = time.perf_counter() - started
    dev = measure_labelled_rows(model.score(dev_features), data.corpora["dev"], task)
    accuracy = float((model.score(features).argmax(axis=1) == data.labels).mean())
    log.info(
        "C %g: %d iterations, accuracy on train %.4f, dev %s %.4f",
        strength,
        iterations,
        accuracy,
        task.selects,
        dev[task.selects],
    )
    if iterations >= classifier.max_iter:
        log.warning("C %g: stopped before it had converged", strength)
    row = {
        "C": strength,
        "iterations": iterations,
        "accuracy": accuracy,
        "val_loss": dev["loss"],
        f"val_{task.selects}": dev[task.selects],
        "seconds": round(seconds, 3),
    }
    return row, weights


def _make_classifier(experiment, strength):
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    options = {"C": strength, "random_state": experiment.seed}
    if experiment.model.final_classifier == "svm":
        return LinearSVC(max_iter=MOST_SVM_ITERATIONS, **options)
    return LogisticRegression(max_iter=MOST_ITERATIONS, **options)


def _write_facts(session, model, best):
    parameters = {
        "trainable_without_embeddings": model.kernel.size + model.bias.size,
        "embeddings": 0,
        "embeddings_trained": False,
    }
    session.write_facts(
        session.facts(parameters),
        wall_seconds=round(session.seconds(), 3),
        steps=best["iterations"],  # each over all pairs
        steps_per_epoch=1,
        seconds_per_epoch=round(best["seconds"] / best["iterations"], 3),
        peak_memory_bytes=environment.peak_memory(),
        stopped=True,
    )
