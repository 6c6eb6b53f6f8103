"""Training of a linear model, into a run folder like every other's."""

import logging
import time

import numpy as np

from dsa.experiment.run_folder import is_finished
from dsa.experiment.run_records import read_history
from dsa.inference.corpus_metrics import measure_labelled_rows, read_labelled_rows
from dsa.models.registry import build_model
from dsa.system import environment
from dsa.system.terminal import show_progress
from dsa.system.text_tables import comma_separated
from dsa.training.linear_weights import weights_of
from dsa.training.tracking.mirror import Mirror

MOST_ITERATIONS = 500
log = logging.getLogger(__name__)


class LinearTrainer:
    """Fits a linear classifier for each of the model's `strengths`, C of scikit-learn,
    inverse regularization; dev selects one. A run that was stopped starts again.

    Args:
        experiment: the `Experiment`.
    """

    def __init__(self, experiment):
        self.experiment = experiment

    @staticmethod
    def can_resume(run):
        """Whether a run folder holds a finished run, of which nothing is left to do."""
        return run.features.is_file() and is_finished(run)

    def train(self, session):
        """Fit, select, and write weights, history and facts."""
        if session.resumed:
            log.info("%s has finished training already", session.run.path)
            self._mirror(session.run, read_history(session.run))
            return
        data = session.data
        model = build_model(self.experiment, len(data.vocabulary))
        features = model.learn_features(data.rows)
        log.info("features: %d", features.shape[1])
        history, best = [], None
        selects = f"val_{session.task.selects}"
        selection = _Selection(session, model, features, data.labels)
        strengths = self.experiment.model.strengths
        for strength in show_progress(strengths, "fitting", len(strengths)):
            row, weights = selection.fit(strength)
            history.append({"evaluation": len(history) + 1, **row})
            if best is None or row[selects] > best[selects]:
                best, best_weights = row, weights
        model.set_weights(*best_weights)
        with session.run.replace(session.run.features.name) as path:
            model.save(path)
        session.run.write("history.csv", comma_separated(history))
        _write_facts(session, model, best)
        self._mirror(session.run, history)

    def _mirror(self, run, history):
        with Mirror(self.experiment, run) as mirror:
            mirror.write(history)


class _Selection:
    """One regression after the other, over the same features."""

    def __init__(self, session, model, features, labels):
        self.session = session
        self.model = model
        self.features = features
        self.labels = labels
        data, dev = session.data, session.data.corpora["dev"]
        self.dev_features = model.features(
            read_labelled_rows(data.reader, data.vocabulary, dev)
        )

    def fit(self, strength):
        """The row of the history of one strength, and its kernel and bias."""
        started = time.perf_counter()
        classifier = self._make_classifier(strength)
        classifier.fit(self.features, self.labels)
        iterations = max(1, int(np.max(classifier.n_iter_)))
        weights = weights_of(classifier, self.session.task.outputs)
        self.model.set_weights(*weights)
        seconds = time.perf_counter() - started
        task, corpus = self.session.task, self.session.data.corpora["dev"]
        scores = self.model.score(self.dev_features)
        dev = measure_labelled_rows(scores, corpus, task)
        right = self.model.score(self.features).argmax(axis=1) == self.labels
        row = {
            "C": strength,
            "iterations": iterations,
            "accuracy": float(right.mean()),
            "val_loss": dev["loss"],
            f"val_{task.selects}": dev[task.selects],
            "seconds": round(seconds, 3),
        }
        log.info(
            "C %g: %d iterations, accuracy %.4f, dev %s %.4f",
            *(row[k] for k in ("C", "iterations", "accuracy")),
            task.selects,
            dev[task.selects],
        )
        if iterations >= classifier.max_iter:
            log.warning("C %g: stopped before it had converged", strength)
        return row, weights

    def _make_classifier(self, strength):
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        experiment = self.session.experiment
        options = {"C": strength, "random_state": experiment.seed}
        if experiment.model.final_classifier == "svm":
            return LinearSVC(max_iter=20 * MOST_ITERATIONS, **options)
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
