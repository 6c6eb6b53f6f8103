"""Classifiers of sentence vectors: logistic regression, and SentEval's softmax
regression with distributions as targets.

Axes: N rows, T sentences per row, S features per sentence vector, F features per row, K
points of the rating scale.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.errors import InputError

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

MAX_ITER = 1000  # of logistic regression
# Adam
LEARNING_RATE = 1e-3
BETA_1 = 0.9
BETA_2 = 0.999
EPSILON = 1e-8
# training of the softmax regression
BATCH_SIZE = 64
MAX_EPOCHS = 1000
EPOCHS_PER_EVALUATION = 50
PATIENCE = 3  # tolerated evaluations without improvement, in total


def make_features(vectors: np.ndarray) -> np.ndarray:
    """Returns float64 features `(N, F)` of sentence vectors `(N, T, S)`.

    A single sentence is represented by its vector, a pair by `[|u - v|; u * v]`. The
    features are float64, because the Newton solver fails in float32 for nearly
    collinear features.
    """
    vectors = vectors.astype(np.float64)
    u = vectors[:, 0]
    if vectors.shape[1] == 1:
        return u
    v = vectors[:, 1]
    return np.concatenate([np.abs(u - v), u * v], axis=1)


def make_classifier(C: float, labels: np.ndarray) -> "LogisticRegression":
    """Returns an unfitted `LogisticRegression`.

    Args:
        C: inverse of the regularization strength.
        labels: labels of the training rows, `(N,)`, from which the solver is chosen.
    """
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=C, solver=_choose_solver(labels), max_iter=MAX_ITER)


def choose_C(
    features: np.ndarray, labels: np.ndarray, cv: Any, candidates: Sequence[float]
) -> float:
    """Returns the C with the highest mean accuracy over folds; the first one if tied.

    Args:
        features: features of the rows, `(N, F)`.
        labels: labels of the rows, `(N,)`.
        cv: cross-validation splitter of scikit-learn.
        candidates: candidate values of C, in ascending order.
    """
    from sklearn.linear_model import LogisticRegressionCV

    search = LogisticRegressionCV(
        Cs=candidates,
        cv=cv,
        scoring="accuracy",
        solver=_choose_solver(labels),
        max_iter=MAX_ITER,
    )
    with warnings.catch_warnings():
        # `C_` will be a float instead of an array, which `np.ravel` accepts as well
        warnings.simplefilter("ignore", FutureWarning)
        search.fit(features, labels)
    return float(np.ravel(search.C_)[0])


def _choose_solver(labels: np.ndarray) -> str:
    """Returns the solver: Newton's method for two classes, whose Hessian is small, or
    else L-BFGS."""
    return "newton-cholesky" if len(np.unique(labels)) == 2 else "lbfgs"


class SoftmaxRegression:
    """Softmax regression with distributions as targets.

        p = softmax(x W + b)

    The weights are trained with Adam on the mean squared error. The dev metric is
    evaluated every 50 epochs, and the weights with the best metric are restored at the
    end. Training stops at the fourth evaluation without improvement, counted in total,
    or after 1,000 epochs.

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
        targets: np.ndarray,
        evaluate: "Callable[[SoftmaxRegression], float]",
    ) -> "SoftmaxRegression":
        """Fits the weights and returns `self`.

        Args:
            features: features of the training rows, `(N, F)`.
            targets: target distributions of the training rows, `(N, K)`.
            evaluate: function that returns the dev metric of the regression; higher is
                better.

        Raises: `InputError` if the dev metric is NaN in all evaluations.
        """
        self._initialize(features.shape[1], targets.shape[1])
        best_value = -np.inf
        best_weights = [w.copy() for w in self.weights]
        num_without_improvement = 0
        for _ in range(MAX_EPOCHS // EPOCHS_PER_EVALUATION):
            for _ in range(EPOCHS_PER_EVALUATION):
                self.train_epoch(features, targets)
            value = evaluate(self)
            if value > best_value:
                best_value = value
                best_weights = [w.copy() for w in self.weights]
            else:
                num_without_improvement += 1
                if num_without_improvement > PATIENCE:
                    break
        if best_value == -np.inf:
            raise InputError(
                "the dev metric of the regression is NaN. Expected sentence vectors of "
                "finite numbers"
            )
        self.weights = best_weights
        return self

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        """Returns the predicted distributions `(N, K)`."""
        from scipy.special import softmax

        kernel, bias = self.weights
        return softmax(features @ kernel + bias, axis=1)

    def _initialize(self, num_features: int, num_points: int) -> None:
        """Draws the initial weights as PyTorch does, and resets Adam."""
        bound = num_features**-0.5
        kernel = self.random.uniform(-bound, bound, (num_features, num_points))
        bias = self.random.uniform(-bound, bound, num_points)
        self.weights = [kernel, bias]
        self.first_moments = [np.zeros_like(kernel), np.zeros_like(bias)]
        self.second_moments = [np.zeros_like(kernel), np.zeros_like(bias)]
        self.step = 0

    def train_epoch(self, features: np.ndarray, targets: np.ndarray) -> None:
        """Trains for one epoch of shuffled batches.

        Args:
            features: features of the N rows, `(N, F)`.
            targets: target distributions of the rows, `(N, K)`.
        """
        order = self.random.permutation(len(features))
        for begin in range(0, len(order), BATCH_SIZE):
            rows = order[begin : begin + BATCH_SIZE]
            x = features[rows]
            target = targets[rows]
            predicted = self.predict_proba(x)
            # gradients of the mean squared error: to the distribution, to the logits
            error_gradient = 2 * (predicted - target) / target.size
            inner = (error_gradient * predicted).sum(axis=1, keepdims=True)
            logit_gradient = predicted * (error_gradient - inner)
            self._apply_adam([x.T @ logit_gradient, logit_gradient.sum(axis=0)])

    def _apply_adam(self, gradients: list[np.ndarray]) -> None:
        """Updates the kernel and the bias in place by a step of Adam."""
        self.step += 1
        for w, m, v, g in zip(
            self.weights,
            self.first_moments,
            self.second_moments,
            gradients,
            strict=True,
        ):
            m += (1 - BETA_1) * (g - m)
            v += (1 - BETA_2) * (g**2 - v)
            unbiased = m / (1 - BETA_1**self.step)
            scale = np.sqrt(v / (1 - BETA_2**self.step)) + EPSILON
            w -= LEARNING_RATE * unbiased / scale
