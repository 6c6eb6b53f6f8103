"""Bootstrap standard errors."""

import numpy as np
from numpy.typing import ArrayLike

RESAMPLES = 2_000
SEED = 13  # fixed, so that repeated evaluations return the same standard errors
CONFIDENCE_LEVEL = 0.95


def compute_resampled_means(values: np.ndarray) -> np.ndarray:
    """Draws 2,000 bootstrap samples of N values and returns their means, `(2000,)`."""
    random = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    for index in range(RESAMPLES):  # one sample at a time, because N can be large
        rows = random.integers(len(values), size=len(values))
        means[index] = values[rows].mean()
    return means


def compute_standard_error(values: ArrayLike) -> float:
    """Returns the bootstrap standard error of the mean of N values; 0 if N is 1."""
    return float(compute_resampled_means(np.asarray(values)).std(ddof=1))


def measure_f1(predicted: np.ndarray, gold: np.ndarray) -> tuple[float, float]:
    """Returns the F1 score of N predictions and its bootstrap standard error.

    The F1 score is 0 if there are no true positives. Bootstrap samples are drawn as
    counts of the confusion matrix, which is equivalent to drawing rows.

    Args:
        predicted: bool array `(N,)`, whether the predicted label is positive.
        gold: bool array `(N,)`, whether the gold label is positive.

    Returns: F1 score and standard error, fractions.

    Example:
        >>> predicted = np.array([True, True, False, False])
        >>> measure_f1(predicted, np.array([True, False, True, False]))[0]
        0.5
    """
    counts = np.array(
        [
            (predicted & gold).sum(),
            (predicted & ~gold).sum(),
            (~predicted & gold).sum(),
            (~predicted & ~gold).sum(),
        ]
    )
    random = np.random.default_rng(SEED)
    samples = random.multinomial(len(gold), counts / len(gold), RESAMPLES)
    standard_error = _compute_f1(samples).std(ddof=1)
    return float(_compute_f1(counts)), float(standard_error)


def _compute_f1(counts: np.ndarray) -> np.ndarray:
    """Returns the F1 score of counts `(..., 4)`: true positives, false positives, false
    negatives and true negatives."""
    true_positives = counts[..., 0]
    errors = counts[..., 1] + counts[..., 2]
    return 2 * true_positives / np.maximum(2 * true_positives + errors, 1)
