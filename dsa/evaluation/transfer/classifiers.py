"""What is trained on sentence vectors: logistic regression, whose strength C is chosen,
and SentEval's softmax regression to distributions by the mean squared error.

N rows, F features, K numbers of a scale.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.tasks.task import PAIR

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

ITERATIONS = 1000  # of logistic regression
RATE, DECAYS, SMALL = 1e-3, (0.9, 0.999), 1e-8  # Adam's
BATCH = 64
EPOCHS_PER_LOOK, MOST_EPOCHS = 50, 1000
PATIENCE = 3  # looks at dev without a better one, and one more, end the training


def make_features(vectors: np.ndarray) -> np.ndarray:
    """Returns features `(N, F)` of rows of vectors `(N, T, S)`: the vector itself, or
    `[|u - v|; u * v]` of a pair; float64, which Newton's steps need where features are
    alike."""
    vectors = vectors.astype(np.float64)
    if vectors.shape[1] < len(PAIR):
        return vectors[:, 0]
    u, v = vectors[:, 0], vectors[:, 1]
    return np.concatenate([np.abs(u - v), u * v], axis=1)


def make_classifier(strength: float, labels: np.ndarray) -> "LogisticRegression":
    """Returns a `LogisticRegression` for these labels that was not fitted yet."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=strength, **_solver_for(labels))


def choose_strength(
    features: np.ndarray, labels: np.ndarray, folds: Any, strengths: Sequence[float]
) -> float:
    """Returns the C of the best mean accuracy over folds, the smallest of equals.

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


class ProbabilityRegression:
    """`p = softmax(x W + b)`, trained by Adam on batches of 64 rows to the least mean
    squared error to distributions.

    After every 50 epochs it is measured on dev; the best weights are kept, and the
    fourth look that is not better is the last one.

    Args:
        seed: of the initial weights and of the order of rows.

    Reference: Conneau & Kiela 2018, "SentEval" (arXiv:1803.05449), the released code's
    `RelatednessPytorch`.
    """

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)

    def fit(
        self,
        features: np.ndarray,
        shares: np.ndarray,
        measure: "Callable[[ProbabilityRegression], float]",
    ) -> "ProbabilityRegression":
        """Trains.

        Args:
            features: `(N, F)`.
            shares: `(N, K)`, the distributions.
            measure: a function of this regression to a number of dev, more is better.

        Returns: this.
        """
        bound = features.shape[1] ** -0.5  # PyTorch's initial weights
        shapes = (features.shape[1], shares.shape[1]), shares.shape[1]
        self.weights = [self.random.uniform(-bound, bound, shape) for shape in shapes]
        self.moments = [[np.zeros_like(w) for w in self.weights] for _ in DECAYS]
        self.step, not_better, best, kept = 0, 0, -np.inf, self.weights
        for _ in range(MOST_EPOCHS // EPOCHS_PER_LOOK):
            for _ in range(EPOCHS_PER_LOOK):
                self._train_epoch(features, shares)
            if (value := measure(self)) > best:
                best, kept = value, [w.copy() for w in self.weights]
            elif not_better >= PATIENCE:
                break
            else:
                not_better += 1
        self.weights = kept
        return self

    def predict_shares(self, features: np.ndarray) -> np.ndarray:
        """Returns distributions `(N, K)`."""
        from scipy.special import softmax

        kernel, bias = self.weights
        return softmax(features @ kernel + bias, axis=1)

    def _train_epoch(self, features, shares):
        order = self.random.permutation(len(features))
        for begin in range(0, len(order), BATCH):
            rows = order[begin : begin + BATCH]
            x, target = features[rows], shares[rows]
            predicted = self.predict_shares(x)
            share_gradient = 2 * (predicted - target) / target.size
            inner = (share_gradient * predicted).sum(axis=1, keepdims=True)
            logit_gradient = predicted * (share_gradient - inner)
            self._update([x.T @ logit_gradient, logit_gradient.sum(axis=0)])

    def _update(self, gradients):
        """A step of Adam."""
        self.step += 1
        firsts, seconds = self.moments
        first_decay, second_decay = DECAYS
        for w, m, v, g in zip(self.weights, firsts, seconds, gradients, strict=True):
            m += (1 - first_decay) * (g - m)
            v += (1 - second_decay) * (g**2 - v)
            unbiased = m / (1 - first_decay**self.step)
            size = np.sqrt(v / (1 - second_decay**self.step)) + SMALL
            w -= RATE * unbiased / size
