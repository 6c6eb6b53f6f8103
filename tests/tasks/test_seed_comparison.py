import numpy as np
import pytest
from scipy import stats

from dsa.tasks.bootstrap import compare_paired
from dsa.tasks.seed_comparison import compare_over_seeds

SEEDS, UNITS = 5, 701


def answers(accuracies, seed=0):
    """Right (1) and wrong (0) answers `(S, N)`, with an accuracy for each seed."""
    random = np.random.default_rng(seed)
    drawn = random.random((len(accuracies), UNITS))
    return (drawn < np.array(accuracies)[:, None]).astype(float)


def test_the_t_interval_is_that_of_the_paired_test_over_seeds():
    first, other = answers([0.70, 0.72, 0.71]), answers([0.74, 0.73, 0.78], seed=1)
    result = compare_over_seeds(first, other)
    test = stats.ttest_rel(other.mean(axis=1), first.mean(axis=1))
    interval = test.confidence_interval(0.95)
    assert result.by_t == pytest.approx((interval.low, interval.high))
    assert result.difference == pytest.approx(np.mean(other) - np.mean(first))


def test_seeds_that_differ_widen_the_interval_that_rows_alone_give():
    shifts = np.array([-0.1, 0.1, -0.08, 0.09, 0.0])
    first, other = answers([0.7] * SEEDS), answers(0.72 + shifts, seed=1)
    result = compare_over_seeds(first, other)
    rows = compare_paired(first.mean(axis=0), other.mean(axis=0))
    width = result.bootstrap[1] - result.bootstrap[0]
    assert width > 2 * (rows.high - rows.low)
    assert not result.is_significant


def test_equal_seeds_give_the_interval_of_the_rows():
    first = np.repeat(answers([0.6]), SEEDS, axis=0)
    other = np.repeat(answers([0.7], seed=1), SEEDS, axis=0)
    result = compare_over_seeds(first, other)
    rows = compare_paired(first[0], other[0])
    assert result.bootstrap == pytest.approx((rows.low, rows.high), abs=0.006)
    assert result.by_t == pytest.approx((result.difference, result.difference))


def test_a_difference_is_significant_only_by_both_intervals():
    clear = compare_over_seeds(answers([0.5] * 5), answers([0.7] * 5, seed=1))
    assert clear.is_significant
    two = compare_over_seeds(answers([0.6, 0.6]), answers([0.67, 0.77], seed=1))
    assert two.bootstrap[0] > 0 and two.by_t[0] < 0  # t over two seeds is wide
    assert not two.is_significant


@pytest.mark.parametrize("shape", [(1, 7), (7,), (3, 5)])
def test_what_is_not_seeds_by_units_is_an_error(shape):
    with pytest.raises(ValueError, match="of two seeds or more"):
        compare_over_seeds(np.zeros(shape), np.zeros((1, 7)))
