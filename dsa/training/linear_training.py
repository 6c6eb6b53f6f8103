"""Trains a linear model with scikit-learn."""

import logging
import time
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.inference.row_reading import measure_labelled_rows
from dsa.models.building import build_model
from dsa.models.classifiers.refit import extract_weights
from dsa.runs.run_folder import RunFolder
from dsa.system import environment
from dsa.system.terminal import show_progress
from dsa.system.text_tables import format_csv
from dsa.tasks.class_weights import compute_class_weights
from dsa.training.run_log import RunLog, log_model
from dsa.training.steps import select_short_rows
from dsa.training.training_corpora import TrainingFiles
from dsa.training.training_data import build_training_data

MAX_ITERATIONS = 500  # of logistic regression
MAX_SVM_ITERATIONS = 10_000
log = logging.getLogger(__name__)


def train_linear(
    experiment: Experiment, run: RunFolder, files: TrainingFiles, run_log: RunLog
) -> None:
    """Fits a linear classifier for each value of C, and selects the best on dev.

    C is the inverse of the regularization strength, as in scikit-learn. The candidate
    values are an attribute of the model config. An interrupted run restarts from the
    beginning.

    Args:
        experiment: the experiment.
        run: the run folder.
        files: training files, from `find_training_files`.
        run_log: the log of the run.

    Raises: `InputError` if all rows within `training.max_tokens` have the same label.
    """
    task = experiment.task
    seed = experiment.seed
    config: Any = experiment.model
    data = build_training_data(experiment, files)
    data.write(run)
    dev = data.corpora["dev"]

    corpus = data.train_corpus
    short_rows = select_short_rows(corpus, experiment.training.max_tokens)
    positions = np.searchsorted(corpus.labelled, short_rows)  # in `data.rows`
    labels = data.labels[positions]
    if (labels == labels[0]).all():
        raise InputError(
            "every training row within 'training.max_tokens' has the "
            f"{task.describe(labels[0])}. Rows with different labels are required"
        )

    model = build_model(experiment, len(data.vocabulary))
    features = model.fit_features(data.rows.select(positions))
    log.info("features: %d", features.shape[1])
    dev_features = model.features(data.dev_rows)

    history: list[dict[str, Any]] = []
    best_row: dict[str, Any] = {}
    best_weights: tuple = ()
    dev_column = f"val_{experiment.dev_metric}"
    class_weights = compute_class_weights(
        experiment.training.class_weights, task.names, labels
    )
    for C in show_progress(config.C_values, "fitting", len(config.C_values)):
        start_time = time.perf_counter()
        classifier = make_classifier(config.final_classifier, C, seed, class_weights)
        classifier.fit(features, labels)
        iterations = max(1, int(np.max(classifier.n_iter_)))
        weights = extract_weights(classifier, task.outputs)
        model.set_weights(*weights)
        seconds = time.perf_counter() - start_time
        metrics = measure_labelled_rows(model.score(dev_features), dev, task)
        predictions = model.score(features).argmax(axis=1)
        row = {
            "C": C,
            "iterations": iterations,
            "accuracy": float((predictions == labels).mean()),
            "val_loss": metrics["loss"],
            f"val_{task.selects}": metrics[task.selects],
            dev_column: metrics[experiment.dev_metric],
            "seconds": round(seconds, 3),
        }
        log.info(
            "C %g: %d iterations, accuracy on train %.4f, dev %s %.4f",
            C,
            iterations,
            row["accuracy"],
            experiment.dev_metric,
            row[dev_column],
        )
        if iterations >= classifier.max_iter:
            log.warning("C %g: the classifier has not converged", C)
        history.append({"evaluation": len(history) + 1, **row})
        if not best_row or row[dev_column] > best_row[dev_column]:
            best_row = row
            best_weights = weights

    model.set_weights(*best_weights)
    with run.replace_file(run.features.name) as path:
        model.save(path)
    run.write("history.csv", format_csv(history))
    run.write_record()
    parameters = {
        "trainable_without_embeddings": model.kernel.size + model.bias.size,
        "embeddings": 0,
        "embeddings_trained": False,
    }
    description = {"seed": seed, **data.describe(), "parameters": parameters}
    log_model(config, experiment.embedding, description)
    with run_log:
        run_log.begin(description)
        run_log.update(
            wall_seconds=round(time.perf_counter() - run_log.start_time, 3),
            steps=best_row["iterations"],  # over all training rows
            steps_per_epoch=1,
            seconds_per_epoch=round(best_row["seconds"] / best_row["iterations"], 3),
            peak_memory_bytes=environment.measure_peak_memory(),
            stopped=True,
        )
        run_log.track(history)


def make_classifier(
    final_classifier: str, C: float, seed: int, class_weights: np.ndarray | None = None
) -> Any:
    """Makes an unfitted scikit-learn classifier.

    Args:
        final_classifier: "svm" or "logistic".
        C: inverse of the regularization strength.
        seed: seed of the solver.
        class_weights: weight of each of the K labels, `(K,)`; `None` for equal weights.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    weights = None if class_weights is None else dict(enumerate(class_weights))
    settings: Any = {"C": C, "random_state": seed, "class_weight": weights}
    if final_classifier == "svm":
        return LinearSVC(max_iter=MAX_SVM_ITERATIONS, **settings)
    return LogisticRegression(max_iter=MAX_ITERATIONS, **settings)
