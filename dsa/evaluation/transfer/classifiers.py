"""Logistic regression on sentence vectors, and the choice of its strength C."""

import warnings

import numpy as np

from dsa.tasks.task import PAIR

ITERATIONS = 1000


def make_features(vectors):
    """Features `(N, F)` of rows of vectors `(N, T, S)`: the vector itself, or of a pair
    `[|u - v|; u * v]`; float64, as Newton's steps need it where features are alike."""
    vectors = vectors.astype(np.float64)
    if vectors.shape[1] < len(PAIR):
        return vectors[:, 0]
    u, v = vectors[:, 0], vectors[:, 1]
    return np.concatenate([np.abs(u - v), u * v], axis=1)


def make_classifier(strength, labels):
    """A `LogisticRegression` for these labels that was not fitted yet."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=strength, **_solver_for(labels))


def choose_strength(features, labels, folds, strengths):
    """The C of the best mean accuracy over folds, the smallest of equals.

    Args:
        features: `(N, F)`.
        labels: `(N,)`.
        folds: a splitter of scikit-learn.
        strengths: those that are tried.
    """
    from sklearn.linear_model import LogisticRegressionCV

    search = LogisticRegressionCV(
        Cs=strengths, cv=folds, scoring="accuracy", **_solver_for(labels)
    )
    with warnings.catch_warnings():  # of changes to come that do not touch `C_`
        warnings.simplefilter("ignore", FutureWarning)
        search.fit(features, labels)
    return float(np.ravel(search.C_)[0])


def _solver_for(labels):
    two = len(np.unique(labels)) == 2  # a small Hessian: Newton's steps are faster
    solver = "newton-cholesky" if two else "lbfgs"
    return {"solver": solver, "max_iter": ITERATIONS}
