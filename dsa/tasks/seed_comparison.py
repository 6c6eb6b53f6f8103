"""Paired comparison of two models over training seeds and evaluation units."""

from typing import NamedTuple

import numpy as np

from dsa.tasks.bootstrap import LEVEL, SEED

RESAMPLES = 20_000  # with 2,000, an interval that ends near 0 depends on the seed
CHUNK = 500  # number of resamples that are in memory at the same time
Interval = tuple[float, float]


class SeedComparison(NamedTuple):
    """Difference of two models that were trained with the same seeds.

    Attributes:
        first, other: mean of each model over seeds and units.
        difference: mean of the other model minus mean of the first.
        by_seed: difference for each seed.
        bootstrap: 95 % bootstrap interval of the difference over seeds and units; over
            units only if there is one seed.
        by_t: 95 % interval of the difference by a paired t test over seeds; `None` if
            there is one seed.
        units: number of units per seed, such as rows.
    """

    first: float
    other: float
    difference: float
    by_seed: tuple[float, ...]
    bootstrap: Interval
    by_t: Interval | None
    units: int

    @property
    def interval(self) -> Interval:
        """95 % interval over seeds and units: on each side the wider limit of
        `bootstrap` and `by_t`; with one seed `bootstrap`, which is over units only."""
        if self.by_t is None:
            return self.bootstrap
        lows, highs = zip(self.bootstrap, self.by_t, strict=True)
        return min(lows), max(highs)

    @property
    def is_significant(self) -> bool:
        """Whether there are several seeds and both intervals exclude 0."""
        if self.by_t is None:
            return False
        return all(low > 0 or high < 0 for low, high in (self.bootstrap, self.by_t))


def compare_over_seeds(
    first: np.ndarray, other: np.ndarray, inside: np.ndarray | None = None
) -> SeedComparison:
    """Compares two models that were trained with the same seeds and evaluated on the
    same units.

    The bootstrap resamples seeds, then units. All seeds have the same resampled units,
    because they were evaluated on the same units. With few seeds, the bootstrap
    interval is too narrow, because it does not include other seeds. The t interval over
    seeds does not have this bias; both intervals are returned.

    Args:
        first, other: value of each seed and unit, `(S, N)`. Both arrays have the same
            order of seeds and of units.
        inside: bool `(N,)`; compares the mean of these units minus the mean of all
            other units, such as long minus short pairs. The bootstrap preserves the
            size of both groups. `None` compares the mean of all units.

    Returns: a `SeedComparison`.

    Raises: `ValueError` for different shapes, and if all units are on one side of
        `inside`.

    Example:
        >>> first = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]])
        >>> result = compare_over_seeds(first, np.ones((2, 4)))
        >>> result.difference, result.by_seed
        (0.375, (0.5, 0.25))
    """
    first, other = np.asarray(first, np.float64), np.asarray(other, np.float64)
    if first.shape != other.shape or first.ndim != 2 or not first.size:
        raise ValueError(
            "`first` and `other` must have the same shape (seeds, units). Received: "
            f"{first.shape}, {other.shape}"
        )
    if inside is not None and (inside.all() or not inside.any()):
        raise ValueError("`inside` must be true for some units and false for others.")
    groups = [slice(None)] if inside is None else [inside, ~inside]
    differences = other - first
    by_seed = _contrast([differences[:, group].mean(axis=1) for group in groups])
    first_mean = _contrast([first[:, group].mean() for group in groups])
    return SeedComparison(
        first=float(first_mean),
        other=float(first_mean + by_seed.mean()),
        difference=float(by_seed.mean()),
        by_seed=tuple(map(float, by_seed)),
        bootstrap=_bootstrap([differences[:, group] for group in groups]),
        by_t=_t_interval(by_seed) if len(by_seed) > 1 else None,
        units=first.shape[1],
    )


def _contrast(means):
    """Returns the mean of a single group, or the difference of the means of two
    groups."""
    return means[0] if len(means) == 1 else means[0] - means[1]


def _bootstrap(groups: list[np.ndarray]) -> Interval:
    """Returns the 95 % bootstrap interval of the contrast of groups, each `(S, N)`.

    Resamples with equal seeds are computed together. Resampling units is equivalent to
    resampling the counts of their distinct values. The latter is faster for few
    distinct values, such as right and wrong.
    """
    random = np.random.default_rng(SEED)
    seeds = len(groups[0])
    columns = [np.unique(group, axis=1, return_counts=True) for group in groups]
    drawn = random.multinomial(seeds, np.full(seeds, 1 / seeds), RESAMPLES)
    distinct, repeats = np.unique(drawn, axis=0, return_counts=True)
    samples = []
    for weights, number in zip(distinct / seeds, repeats, strict=True):
        means = [
            _resample_units(random, weights @ values, counts, number)
            for values, counts in columns
        ]
        samples.append(_contrast(means))
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(np.concatenate(samples), [tail, 100 - tail])
    return float(low), float(high)


def _resample_units(random, values, counts, number):
    """Returns the means of a number of resamples of units.

    Args:
        random: NumPy generator.
        values: `(K,)`, values of the units.
        counts: `(K,)`, number of units with each value.
        number: number of resamples.
    """
    values, inverse = np.unique(values.round(12), return_inverse=True)
    units = counts.sum()
    counts = np.bincount(inverse, counts)
    shares = counts / units
    sizes = [CHUNK] * (number // CHUNK) + [number % CHUNK]
    if 2 * len(values) > units:  # drawing single units is faster
        repeated = np.repeat(values, counts.astype(int))
        resampled = [
            repeated[random.integers(units, size=(size, units))].sum(axis=1)
            for size in sizes
        ]
    else:
        resampled = [random.multinomial(units, shares, size) @ values for size in sizes]
    return np.concatenate(resampled) / units


def _t_interval(values: np.ndarray) -> Interval:
    """Returns the 95 % interval of the mean of S values by Student's t
    distribution."""
    from scipy import stats

    error = values.std(ddof=1) / np.sqrt(len(values))
    half = stats.t.ppf((1 + LEVEL) / 2, len(values) - 1) * error
    return float(values.mean() - half), float(values.mean() + half)
