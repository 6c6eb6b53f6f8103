"""Classifiers of sentence vectors: logistic regression, and SentEval's softmax
regression of distributions.

Axes: N rows, T sentences of a row, S features of a sentence vector, F features of a
row, K values of a scale.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.tasks.task import PAIR

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

ITERATIONS = 1000  # maximum for logistic regression
RATE, DECAYS, EPSILON = 1e-3, (0.9, 0.999), 1e-8  # hyperparameters of Adam
BATCH = 64
EPOCHS_PER_EVALUATION, MAX_EPOCHS = 50, 1000
PATIENCE = 3  # evaluations on dev without improvement before the last one


def make_features(vectors: np.ndarray) -> np.ndarray:
    """Returns float64 features `(N, F)` of sentence vectors `(N, T, S)`.

    The features of a single sentence are its vector, the features of a pair are
    `[|u - v|; u * v]`. In float32, Newton's method fails for nearly collinear features.
    """
    vectors = vectors.astype(np.float64)
    if vectors.shape[1] < len(PAIR):
        return vectors[:, 0]
    u, v = vectors[:, 0], vectors[:, 1]
    return np.concatenate([np.abs(u - v), u * v], axis=1)


def make_classifier(strength: float, labels: np.ndarray) -> "LogisticRegression":
    """Returns an unfitted `LogisticRegression` with C = `strength`."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(
        C=strength, solver=_choose_solver(labels), max_iter=ITERATIONS
    )


def choose_strength(
    features: np.ndarray, labels: np.ndarray, folds: Any, strengths: Sequence[float]
) -> float:
    """Returns the C with the best mean accuracy over folds, the first one if tied.

    Args:
        features: `(N, F)`.
        labels: `(N,)`.
        folds: a splitter from scikit-learn.
        strengths: candidate values of C, in ascending order.
    """
    from sklearn.linear_model import LogisticRegressionCV

    search = LogisticRegressionCV(
        Cs=strengths,
        cv=folds,
        scoring="accuracy",
        solver=_choose_solver(labels),
        max_iter=ITERATIONS,
    )
    with warnings.catch_warnings():  # a future `C_` is a float, as `np.ravel` accepts
        warnings.simplefilter("ignore", FutureWarning)
        search.fit(features, labels)
    return float(np.ravel(search.C_)[0])


def _choose_solver(labels: np.ndarray) -> str:
    """Returns Newton's method for two classes, as their Hessian is small."""
    return "newton-cholesky" if len(np.unique(labels)) == 2 else "lbfgs"


class ProbabilityRegression:
    """Softmax regression of distributions, trained by Adam on the squared error.

        p = softmax(x W + b)

    It is evaluated on dev after every 50 epochs. The best weights are kept. Training
    ends at the fourth evaluation without improvement.

    Args:
        seed: seed of the initial weights and of the row order.

    Reference: Conneau & Kiela 2018, "SentEval" (arXiv:1803.05449), `RelatednessPytorch`
        of the released code. Differs: at most 1,000 epochs instead of 1,050.
    """

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)

    def fit(
        self,
        features: np.ndarray,
        shares: np.ndarray,
        evaluate: "Callable[[ProbabilityRegression], float]",
    ) -> "ProbabilityRegression":
        """Fits the weights and returns `self`.

        Args:
            features: `(N, F)`.
            shares: `(N, K)`, the target distributions.
            evaluate: function that returns the dev metric of the regression; higher is
                better.
        """
        bound = features.shape[1] ** -0.5  # initial weights as in PyTorch
        shapes = (features.shape[1], shares.shape[1]), shares.shape[1]
        self.weights = [self.random.uniform(-bound, bound, shape) for shape in shapes]
        self.moments = [[np.zeros_like(w) for w in self.weights] for _ in DECAYS]
        self.step = 0
        failures = 0
        best, best_weights = -np.inf, self.weights
        for _ in range(MAX_EPOCHS // EPOCHS_PER_EVALUATION):
            for _ in range(EPOCHS_PER_EVALUATION):
                self._train_epoch(features, shares)
            value = evaluate(self)
            if value > best:
                best, best_weights = value, [w.copy() for w in self.weights]
            elif failures >= PATIENCE:
                break
            else:
                failures += 1
        self.weights = best_weights
        return self

    def predict_shares(self, features: np.ndarray) -> np.ndarray:
        """Returns the predicted distributions `(N, K)`."""
        from scipy.special import softmax

        kernel, bias = self.weights
        return softmax(features @ kernel + bias, axis=1)

    def _train_epoch(self, features: np.ndarray, shares: np.ndarray) -> None:
        order = self.random.permutation(len(features))
        for begin in range(0, len(order), BATCH):
            rows = order[begin : begin + BATCH]
            x, target = features[rows], shares[rows]
            predicted = self.predict_shares(x)
            share_gradient = 2 * (predicted - target) / target.size
            inner = (share_gradient * predicted).sum(axis=1, keepdims=True)
            logit_gradient = predicted * (share_gradient - inner)
            self._apply_adam([x.T @ logit_gradient, logit_gradient.sum(axis=0)])

    def _apply_adam(self, gradients: list[np.ndarray]) -> None:
        self.step += 1
        first_moments, second_moments = self.moments
        first_decay, second_decay = DECAYS
        for w, m, v, g in zip(
            self.weights, first_moments, second_moments, gradients, strict=True
        ):
            m += (1 - first_decay) * (g - m)
            v += (1 - second_decay) * (g**2 - v)
            unbiased = m / (1 - first_decay**self.step)
            scale = np.sqrt(v / (1 - second_decay**self.step)) + EPSILON
            w -= RATE * unbiased / scale
