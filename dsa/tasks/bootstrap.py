"""Standard errors by drawing again from what was measured."""

import numpy as np
from numpy.typing import ArrayLike

RESAMPLES = 2_000
SEED = 13  # fixed: an evaluation has the same standard error whenever it is made
LEVEL = 0.95


def resample_means(values: np.ndarray) -> np.ndarray:
    """Returns the means of 2,000 samples of N values with replacement, `(2000,)`."""
    random = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    for number in range(RESAMPLES):  # one at a time: N can be large
        means[number] = values[random.integers(len(values), size=len(values))].mean()
    return means


def standard_error(values: ArrayLike) -> float:
    """Returns the standard error of the mean of N values, by bootstrap; 0 for one."""
    return float(resample_means(np.asarray(values)).std(ddof=1))


def f1_with_error(predicted: np.ndarray, gold: np.ndarray) -> tuple[float, float]:
    """Returns F1 of N bool predictions, and its standard error by bootstrap.

    F1 is 0 where nothing is predicted rightly. A sample of rows is a sample of the four
    counts that F1 is made of.

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
    return float(_f1_of_counts(counts)), float(_f1_of_counts(samples).std(ddof=1))


def _f1_of_counts(counts):
    """F1 of counts `(..., 4)`: right positives, false ones, missed ones, the rest."""
    right, false, missed = (counts[..., column] for column in range(3))
    return 2 * right / np.maximum(2 * right + false + missed, 1)
