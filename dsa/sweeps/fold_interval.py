"""Confidence interval of the mean over the folds of a cross-validation."""

from collections.abc import Sequence

import numpy as np

CONFIDENCE_LEVEL = 0.95  # confidence level


def compute_fold_interval(
    values: Sequence[float], num_folds: int | None = None
) -> tuple[float, float]:
    """Computes the 95 % confidence interval of the mean over folds.

    The interval is based on the corrected resampled t test. Because the training rows
    of the folds overlap, the variance of the mean over N of K folds is estimated as
    `(1/N + 1/(K - 1)) s^2` instead of `s^2 / N`, where `1/(K - 1)` is the ratio of test
    rows to training rows.

    Args:
        values: metric of each finished fold, `(N,)` with N >= 2.
        num_folds: number of folds K; `None` for N.

    Returns: lower and upper bound.

    Reference: Nadeau & Bengio 2003, "Inference for the generalization error".

    Example:
        >>> low, high = compute_fold_interval([0.7, 0.72, 0.74])
        >>> round(low, 3), round(high, 3)
        (0.641, 0.799)
    """
    from scipy import stats

    count = len(values)
    mean = float(np.mean(values))
    variance = np.var(values, ddof=1)
    ratio = 1 / ((num_folds or count) - 1)
    standard_error = np.sqrt((1 / count + ratio) * variance)
    margin = float(stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, count - 1) * standard_error)
    return mean - margin, mean + margin
