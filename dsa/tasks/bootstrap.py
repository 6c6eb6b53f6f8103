"""Bootstrap standard errors."""

import numpy as np
from numpy.typing import ArrayLike

RESAMPLES = 2_000
SEED = 13  # fixed, so that repeated evaluations have equal standard errors
LEVEL = 0.95


def resample_means(values: np.ndarray) -> np.ndarray:
    """Returns the means of 2,000 samples of N values with replacement, `(2000,)`."""
    random = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    for number in range(RESAMPLES):  # one sample at a time, because N can be large
        means[number] = values[random.integers(len(values), size=len(values))].mean()
    return means


def standard_error(values: ArrayLike) -> float:
    """Returns the bootstrap standard error of the mean of N values; 0 for one value."""
    return float(resample_means(np.asarray(values)).std(ddof=1))


def f1_with_error(predicted: np.ndarray, gold: np.ndarray) -> tuple[float, float]:
    """Returns the F1 score of N predictions and its bootstrap standard error.

    The F1 score is 0 without true positives. Resampling rows is equivalent to
    resampling the four counts of the confusion matrix.

    Args:
        predicted: bool `(N,)`, whether a row is predicted as positive.
        gold: bool `(N,)`, whether the gold label of a row is positive.

    Example:
        >>> predicted = np.array([True, True, False, False])
        >>> f1_with_error(predicted, np.array([True, False, True, False]))[0]
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
    return float(_f1(counts)), float(_f1(samples).std(ddof=1))


def _f1(counts):
    """Returns the F1 score of counts `(..., 4)`: true positives, false positives, false
    negatives and true negatives."""
    true_positives = counts[..., 0]
    errors = counts[..., 1] + counts[..., 2]
    return 2 * true_positives / np.maximum(2 * true_positives + errors, 1)
