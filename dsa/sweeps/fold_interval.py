"""Interval of the mean over the folds of a cross-validation."""

import numpy as np

LEVEL = 0.95


def interval_over_folds(values) -> tuple[float, float]:
    """Returns the 95 % interval of the mean over K folds, by a corrected t test.

    Because the training rows of the folds overlap, the variance of the mean is
    estimated as `(1/K + 1/(K - 1)) s^2` instead of `s^2 / K`, where `1/(K - 1)` is the
    ratio of test rows to training rows.

    Args:
        values: metric of each fold, `(K,)` with K >= 2.

    Reference: Nadeau & Bengio 2003, "Inference for the generalization error".

    Example:
        >>> low, high = interval_over_folds([0.7, 0.72, 0.74])
        >>> round(low, 3), round(high, 3)
        (0.641, 0.799)
    """
    from scipy import stats

    values = np.asarray(values, float)
    count = len(values)
    error = np.sqrt((1 / count + 1 / (count - 1)) * values.var(ddof=1))
    half = float(stats.t.ppf((1 + LEVEL) / 2, count - 1) * error)
    return float(values.mean()) - half, float(values.mean()) + half
