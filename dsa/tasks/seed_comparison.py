"""How much two models differ, over the seeds of their trainings and over rows."""

from typing import NamedTuple

import numpy as np

from dsa.tasks.bootstrap import LEVEL, RESAMPLES, SEED

Interval = tuple[float, float]


class SeedComparison(NamedTuple):
    """The difference of two models that were trained with the same seeds.

    `first`, `other`: their means over seeds and units; `difference`: other minus first;
    `by_seed`: that of each seed; `bootstrap`: its 95 % interval over seeds and
    units; `by_t`: its 95 % interval by a paired t test over seeds; `units`: how many
    units, such as rows, each seed was measured on.
    """

    first: float
    other: float
    difference: float
    by_seed: tuple[float, ...]
    bootstrap: Interval
    by_t: Interval
    units: int

    @property
    def is_significant(self) -> bool:
        """Whether both intervals leave out 0."""
        return all(low > 0 or high < 0 for low, high in (self.bootstrap, self.by_t))


def compare_over_seeds(first: np.ndarray, other: np.ndarray) -> SeedComparison:
    """Compares two models seed by seed, on the same units.

    The bootstrap draws seeds with replacement, then units with replacement: the same
    units for all seeds, as all seeds were measured on the same ones. With few seeds it
    is too narrow, as it cannot draw a seed that was not run; the t interval over seeds
    is not, so both are given.

    Args:
        first, other: `(S, N)`, a value of each unit per seed; row `s` of both is of
            the same seed, column `n` of all is of the same unit.

    Raises: `ValueError` for other shapes, and for fewer than two seeds.

    Example:
        >>> first = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]])
        >>> result = compare_over_seeds(first, np.ones((2, 4)))
        >>> result.difference, result.by_seed
        (0.375, (0.5, 0.25))
    """
    first, other = np.asarray(first, np.float64), np.asarray(other, np.float64)
    if first.shape != other.shape or first.ndim != 2 or len(first) < 2:
        raise ValueError(
            "Two arrays (seeds, units) of the same shape, of two seeds or more, are "
            f"needed. Received: {first.shape}, {other.shape}"
        )
    differences = other - first
    by_seed = differences.mean(axis=1)
    return SeedComparison(
        first=float(first.mean()),
        other=float(other.mean()),
        difference=float(differences.mean()),
        by_seed=tuple(map(float, by_seed)),
        bootstrap=_bootstrap(differences),
        by_t=_t_interval(by_seed),
        units=first.shape[1],
    )


def _bootstrap(differences: np.ndarray) -> Interval:
    """The 95 % interval of the mean of `(S, N)` values, drawing seeds and units."""
    random = np.random.default_rng(SEED)
    seeds, units = differences.shape
    means = np.empty(RESAMPLES)
    for number in range(RESAMPLES):
        drawn = random.multinomial(seeds, np.full(seeds, 1 / seeds)) / seeds
        means[number] = (drawn @ differences)[random.integers(units, size=units)].mean()
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return float(low), float(high)


def _t_interval(values: np.ndarray) -> Interval:
    """The 95 % interval of the mean of S values by Student's t."""
    from scipy import stats

    error = values.std(ddof=1) / np.sqrt(len(values))
    half = stats.t.ppf((1 + LEVEL) / 2, len(values) - 1) * error
    return float(values.mean() - half), float(values.mean() + half)
