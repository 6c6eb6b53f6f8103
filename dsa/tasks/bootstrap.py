"""Standard errors and intervals by drawing again from what was measured."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

RESAMPLES = 2_000
SEED = 13  # fixed: an evaluation has the same standard error whenever it is made
LEVEL = 0.95


class PairedDifference(NamedTuple):
    """How much two runs differ on the same units.

    `first`, `other`: their means, with the 95 % intervals `first_interval` and
    `other_interval`; `difference`: other minus first; `low`, `high`: its 95 % interval;
    `error`: its standard error; `p`: of the paired test `compute_p_by_signs`; `units`:
    how many there are.
    """

    first: float
    first_interval: tuple[float, float]
    other: float
    other_interval: tuple[float, float]
    difference: float
    low: float
    high: float
    error: float
    p: float
    units: int

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant: the interval excludes 0."""
        return not self.low <= 0 <= self.high


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


def compare_paired(first: ArrayLike, other: ArrayLike) -> PairedDifference:
    """Returns the `PairedDifference` of two runs, by bootstrap of the differences.

    Args:
        first, other: `(N,)`, a value of each unit, such as a question's average
            precision; the same units in the same order.

    Example:
        >>> result = compare_paired([0.5, 1.0], [0.75, 1.0])
        >>> result.difference, result.low, result.high
        (0.125, 0.0, 0.25)
    """
    first, other = np.asarray(first, np.float64), np.asarray(other, np.float64)
    differences = other - first
    means = resample_means(differences)
    low, high = _find_interval(means)
    return PairedDifference(
        first=float(first.mean()),
        first_interval=_find_interval(resample_means(first)),
        other=float(other.mean()),
        other_interval=_find_interval(resample_means(other)),
        difference=float(differences.mean()),
        low=low,
        high=high,
        error=float(means.std(ddof=1)),
        p=compute_p_by_signs(differences),
        units=len(first),
    )


def _find_interval(means):
    """The 95 % interval of resampled means: its two ends."""
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return float(low), float(high)


def compute_p_by_signs(differences: np.ndarray) -> float:
    """Computes the two-sided p of N paired differences, by 2,000 draws of their signs
    (Fisher's randomization test): how often their mean is as far from 0 by chance.

    Example:
        >>> compute_p_by_signs(np.zeros(5))
        1.0
    """
    random = np.random.default_rng(SEED)
    observed = abs(differences.sum())
    differences = differences[differences != 0]  # their signs change nothing
    count = 0
    for _ in range(RESAMPLES):
        signs = 2.0 * random.integers(2, size=len(differences)) - 1
        # a sum of the same numbers in another order differs in its last digits
        count += abs(signs @ differences) >= observed - 1e-9
    return (count + 1) / (RESAMPLES + 1)


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
