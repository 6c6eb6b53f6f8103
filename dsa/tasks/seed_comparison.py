"""Paired comparison of two models over training seeds and evaluation units."""

from typing import NamedTuple

import numpy as np

from dsa.tasks.bootstrap import CONFIDENCE_LEVEL, SEED

RESAMPLES = 20_000  # with 2,000, the sign of a limit near 0 is random
CHUNK_SIZE = 500  # number of resamples that are in memory at the same time
Interval = tuple[float, float]


class SeedComparison(NamedTuple):
    """Difference of two models that were trained with the same seeds.

    Attributes:
        first, other: mean of each model over seeds and units.
        difference: mean of the other model minus mean of the first.
        by_seed: difference for each seed.
        bootstrap: 95 % interval of the difference from a bootstrap over seeds and
            units, or over units only if there is a single seed.
        by_t: 95 % interval of the difference from a paired t test over seeds; `None` if
            there is a single seed.
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
        """Smallest interval that contains `bootstrap` and `by_t`; `bootstrap` if there
        is a single seed."""
        if self.by_t is None:
            return self.bootstrap
        low = min(self.bootstrap[0], self.by_t[0])
        high = max(self.bootstrap[1], self.by_t[1])
        return low, high

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

    The bootstrap resamples seeds, then units; all seeds share the resampled units. With
    few seeds, the bootstrap interval is too narrow, because the sample contains little
    of the variation between seeds. The t interval over seeds does not have this bias.
    Both intervals are returned.

    Args:
        first, other: values for S seeds and N units, `(S, N)`. Both arrays have the
            same order of seeds and of units.
        inside: bool array `(N,)` that divides the units into two groups, such as long
            and short pairs; the compared quantity is the mean of the units inside minus
            the mean of the other units. The bootstrap preserves the size of both
            groups. `None` compares the means of all units.

    Returns: a `SeedComparison`.

    Raises: `ValueError` if the shapes differ, the arrays are empty or not
        two-dimensional, or `inside` has a single value for all units.

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
    differences = other - first
    if inside is None:
        first_groups = [first]
        difference_groups = [differences]
    else:
        first_groups = [first[:, inside], first[:, ~inside]]
        difference_groups = [differences[:, inside], differences[:, ~inside]]
    by_seed = _contrast([group.mean(axis=1) for group in difference_groups])
    first_mean = _contrast([group.mean() for group in first_groups])
    t_interval = None
    if len(by_seed) > 1:
        t_interval = _compute_t_interval(by_seed)
    return SeedComparison(
        first=float(first_mean),
        other=float(first_mean + by_seed.mean()),
        difference=float(by_seed.mean()),
        by_seed=tuple(by_seed.tolist()),
        bootstrap=_compute_bootstrap_interval(difference_groups),
        by_t=t_interval,
        units=first.shape[1],
    )


def _contrast(means):
    """Returns the mean of a single group, or the difference of the means of two
    groups."""
    if len(means) == 1:
        return means[0]
    return means[0] - means[1]


def _compute_bootstrap_interval(groups: list[np.ndarray]) -> Interval:
    """Returns the 95 % bootstrap interval of the contrast of groups, each `(S, N)`.

    Resamples that contain the same seeds are computed together. Resampling units is
    equivalent to resampling the counts of their distinct values, which is faster if
    there are few distinct values.
    """
    random = np.random.default_rng(SEED)
    num_seeds = len(groups[0])
    columns = [np.unique(group, axis=1, return_counts=True) for group in groups]
    # (RESAMPLES, S): number of times that a resample contains each seed
    seed_counts = random.multinomial(
        num_seeds, np.full(num_seeds, 1 / num_seeds), RESAMPLES
    )
    distinct, repeats = np.unique(seed_counts, axis=0, return_counts=True)
    samples = []
    for weights, num_resamples in zip(distinct / num_seeds, repeats, strict=True):
        means = [
            _resample_units(random, weights @ values, counts, num_resamples)
            for values, counts in columns
        ]
        samples.append(_contrast(means))
    tail = 100 * (1 - CONFIDENCE_LEVEL) / 2
    low, high = np.percentile(np.concatenate(samples), [tail, 100 - tail])
    return float(low), float(high)


def _resample_units(random, values, counts, num_resamples):
    """Draws bootstrap samples of units and returns their means, `(num_resamples,)`.

    Args:
        random: NumPy generator.
        values: float array `(K,)`, values of the units.
        counts: int array `(K,)`, number of units with each value.
        num_resamples: number of samples.
    """
    values, inverse = np.unique(values.round(12), return_inverse=True)
    num_units = counts.sum()
    counts = np.bincount(inverse, counts)
    sizes = [CHUNK_SIZE] * (num_resamples // CHUNK_SIZE)
    sizes.append(num_resamples % CHUNK_SIZE)
    if 2 * len(values) > num_units:  # drawing single units is faster
        repeated = np.repeat(values, counts.astype(int))
        resampled = [
            repeated[random.integers(num_units, size=(size, num_units))].sum(axis=1)
            for size in sizes
        ]
    else:
        resampled = [
            random.multinomial(num_units, counts / num_units, size) @ values
            for size in sizes
        ]
    return np.concatenate(resampled) / num_units


def _compute_t_interval(values: np.ndarray) -> Interval:
    """Returns the 95 % interval of the mean of S values from Student's t
    distribution."""
    from scipy import stats

    error = values.std(ddof=1) / np.sqrt(len(values))
    half_width = stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, len(values) - 1) * error
    return float(values.mean() - half_width), float(values.mean() + half_width)
