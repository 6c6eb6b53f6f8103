"""Training of the feature-based classifier, into a run folder like every other's."""

import logging
import time

import numpy as np

from dsa import environment
from dsa.backends.description import describe
from dsa.data.corpora.catalogue import corpus_named
from dsa.data.prepared.rows import joined
from dsa.data.words.vocabulary import Vocabulary
from dsa.experiment.run_folder import FORMAT, is_finished
from dsa.models.features.classifier import FeatureClassifier
from dsa.storage.text_tables import comma_separated
from dsa.tasks.metrics import metrics
from dsa.training.training_data import data_facts, read_corpora, refuse_other_data

STRENGTHS = 2.0 ** np.arange(-10, 3, 2)  # C of scikit-learn, inverse regularization
MOST_ITERATIONS = 500
NEVER = -1e3  # the logit of a label that train lacks
log = logging.getLogger(__name__)


def train(experiment, run, root, command=None):
    """Fit a logistic regression for each of `STRENGTHS`; dev selects one.

    Args and raises: as `network_training.train`; a run that was stopped starts again.
    """
    from sklearn.linear_model import LogisticRegression

    began = time.perf_counter()
    task = corpus_named(experiment.data.corpus).task
    finished = run.features.is_file() and is_finished(run)
    corpora, splits = read_corpora(
        experiment, root, task, run.splits() if finished else None
    )
    if finished:
        refuse_other_data(run, run.environment(), corpora)
        log.info("%s has finished training already", run.path)
        return
    trained_on = corpora["train"]
    if "mix" in corpora:
        trained_on = joined(trained_on, corpora["mix"])
    vocabulary = Vocabulary(trained_on.words)
    run.write("vocabulary.txt", vocabulary.to_text())
    if splits:
        run.write_json("splits.json", {s: r.tolist() for s, r in splits.items()})
    rows, dev = trained_on.labelled, corpora["dev"]
    classifier, features = FeatureClassifier.over(
        experiment.model,
        len(vocabulary),
        vocabulary.sentences(trained_on),
        trained_on.texts[rows],
    )
    log.info("features: %d, %d a pair", features.shape[1], features.nnz / len(rows))
    dev_labels, labels = dev.labels[dev.labelled], trained_on.labels[rows]
    dev_features = classifier.features(
        vocabulary.sentences(dev), dev.texts[dev.labelled]
    )
    history, best = [], None
    for strength in STRENGTHS:
        started = time.perf_counter()
        fitted = LogisticRegression(
            C=strength, max_iter=MOST_ITERATIONS, random_state=experiment.seed
        ).fit(features, labels)
        iterations = int(max(fitted.n_iter_))
        classifier.kernel, classifier.bias = weights_of(fitted, task.outputs)
        seconds = time.perf_counter() - started
        found = metrics(task, classifier.score(dev_features), dev_labels)
        right = classifier.score(features).argmax(axis=1) == labels
        history.append(
            {
                "evaluation": len(history) + 1,
                "C": strength,
                "iterations": iterations,
                "accuracy": float(right.mean()),
                "val_loss": found["loss"],
                "val_accuracy": found["accuracy"],
                "seconds": round(seconds, 3),
            }
        )
        log.info(
            "C %g: %d iterations, accuracy %.4f, dev accuracy %.4f",
            *(history[-1][k] for k in ("C", "iterations", "accuracy", "val_accuracy")),
        )
        if iterations == MOST_ITERATIONS:
            log.warning("C %g: stopped before it had converged", strength)
        if best is None or found["accuracy"] > best["val_accuracy"]:
            best = history[-1]
            chosen = classifier.kernel, classifier.bias
    classifier.kernel, classifier.bias = chosen
    classifier.save(run.features)
    run.write("history.csv", comma_separated(history))
    run.write_json(
        "environment.json",
        {
            "run_format": FORMAT,
            "command": command,
            **describe(),
            "seed": experiment.seed,
            **data_facts(vocabulary, corpora),
            "parameters": {
                "trainable_without_embeddings": classifier.kernel.size
                + classifier.bias.size,
                "embeddings": 0,
                "embeddings_trained": False,
            },
            "wall_seconds": round(time.perf_counter() - began, 3),
            "steps": best["iterations"],  # each over all pairs
            "steps_per_epoch": 1,
            "seconds_per_epoch": round(best["seconds"] / best["iterations"], 3),
            "peak_memory_bytes": environment.peak_memory(),
            "stopped": True,
        },
    )


def weights_of(fitted, outputs):
    """Kernel `(F, outputs)` and bias `(outputs,)` of a `LogisticRegression`, whose
    labels can be fewer: of two it scores the second one alone."""
    found, bias = fitted.coef_.T, fitted.intercept_
    if found.shape[1] == 1:
        found, bias = np.concatenate([0 * found, found], axis=1), np.append(0, bias)
    kernel, biases = np.zeros((len(found), outputs)), np.full(outputs, NEVER)
    kernel[:, fitted.classes_], biases[fitted.classes_] = found, bias
    return kernel, biases
