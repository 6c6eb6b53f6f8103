"""How much two models differ, over the seeds of their trainings and over rows."""

from typing import NamedTuple

import numpy as np

from dsa.tasks.bootstrap import LEVEL, RESAMPLES, SEED

Interval = tuple[float, float]


class SeedComparison(NamedTuple):
    """The difference of two models that were trained with the same seeds.

    `first`, `other`: their means over seeds and units; `difference`: other minus first;
    `by_seed`: that of each seed; `bootstrap`: its 95 % interval over seeds and units,
    of one seed over units only; `by_t`: its 95 % interval by a paired t test over
    seeds, `None` for one seed; `units`: how many units, such as rows, each seed was
    measured on.
    """

    first: float
    other: float
    difference: float
    by_seed: tuple[float, ...]
    bootstrap: Interval
    by_t: Interval | None
    units: int

    @property
    def is_significant(self) -> bool:
        """Whether there are several seeds, and both intervals leave out 0."""
        if self.by_t is None:
            return False
        return all(low > 0 or high < 0 for low, high in (self.bootstrap, self.by_t))


def compare_over_seeds(
    first: np.ndarray, other: np.ndarray, inside: np.ndarray | None = None
) -> SeedComparison:
    """Compares two models seed by seed, on the same units.

    The bootstrap draws seeds with replacement, then units with replacement: the same
    units for all seeds, as all seeds were measured on the same ones. With few seeds it
    is too narrow, as it cannot draw a seed that was not run; the t interval over seeds
    is not, so both are given.

    Args:
        first, other: `(S, N)`, a value of each unit per seed; row `s` of both is of
            the same seed, column `n` of all is of the same unit.
        inside: bool `(N,)`: what is compared is then the mean of these units minus
            that of the others, such as of long pairs minus short ones. The bootstrap
            draws as many of each as there are. `None` for the mean of all.

    Raises: `ValueError` for other shapes, and for units that are all inside or none.

    Example:
        >>> first = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]])
        >>> result = compare_over_seeds(first, np.ones((2, 4)))
        >>> result.difference, result.by_seed
        (0.375, (0.5, 0.25))
    """
    first, other = np.asarray(first, np.float64), np.asarray(other, np.float64)
    if first.shape != other.shape or first.ndim != 2 or not first.size:
        raise ValueError(
            "Two arrays (seeds, units) of the same shape are needed. Received: "
            f"{first.shape}, {other.shape}"
        )
    if inside is not None and inside.all() | ~inside.any():
        raise ValueError("Units inside and outside are needed. All are on one side")
    groups = [slice(None)] if inside is None else [inside, ~inside]
    differences = other - first
    by_seed = _contrast([differences[:, group].mean(axis=1) for group in groups])
    of_first = _contrast([first[:, group].mean() for group in groups])
    return SeedComparison(
        first=float(of_first),
        other=float(of_first + by_seed.mean()),
        difference=float(by_seed.mean()),
        by_seed=tuple(map(float, by_seed)),
        bootstrap=_bootstrap([differences[:, group] for group in groups]),
        by_t=_t_interval(by_seed) if len(by_seed) > 1 else None,
        units=first.shape[1],
    )


def _contrast(means):
    """The mean of all units, or that of the first group minus that of the second."""
    return means[0] if len(means) == 1 else means[0] - means[1]


def _bootstrap(groups: list[np.ndarray]) -> Interval:
    """The 95 % interval of the contrast of groups of values, each `(S, N)`, drawing
    seeds and units.

    To draw N units is to draw how often each distinct column occurs: right and wrong
    answers have few.
    """
    random = np.random.default_rng(SEED)
    seeds = len(groups[0])
    columns = [np.unique(group, axis=1, return_counts=True) for group in groups]
    samples = np.empty(RESAMPLES)
    for number in range(RESAMPLES):
        drawn = random.multinomial(seeds, np.full(seeds, 1 / seeds)) / seeds
        means = []
        for values, counts in columns:
            units = counts.sum()
            weights = random.multinomial(units, counts / units) / units
            means.append(drawn @ values @ weights)
        samples[number] = _contrast(means)
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(samples, [tail, 100 - tail])
    return float(low), float(high)


def _t_interval(values: np.ndarray) -> Interval:
    """The 95 % interval of the mean of S values by Student's t."""
    from scipy import stats

    error = values.std(ddof=1) / np.sqrt(len(values))
    half = stats.t.ppf((1 + LEVEL) / 2, len(values) - 1) * error
    return float(values.mean() - half), float(values.mean() + half)
