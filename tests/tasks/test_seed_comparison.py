import numpy as np
import pytest
from scipy import stats

from dsa.tasks.seed_comparison import compare_over_seeds

SEEDS, UNITS = 5, 701


def answers(accuracies, seed=0):
    """Returns right (1) and wrong (0) answers `(S, N)`, with an accuracy per seed."""
    random = np.random.default_rng(seed)
    drawn = random.random((len(accuracies), UNITS))
    return (drawn < np.array(accuracies)[:, None]).astype(float)


def test_the_t_interval_equals_scipys_paired_test_over_seeds():
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
    rows = compare_over_seeds(*(x.mean(axis=0, keepdims=True) for x in (first, other)))
    width = result.bootstrap[1] - result.bootstrap[0]
    assert width > 2 * (rows.bootstrap[1] - rows.bootstrap[0])
    assert not result.is_significant


def test_equal_seeds_give_the_interval_of_the_rows():
    first = np.repeat(answers([0.6]), SEEDS, axis=0)
    other = np.repeat(answers([0.7], seed=1), SEEDS, axis=0)
    result = compare_over_seeds(first, other)
    rows = compare_over_seeds(first[:1], other[:1])
    assert result.bootstrap == pytest.approx(rows.bootstrap, abs=0.006)
    assert result.by_t == pytest.approx((result.difference, result.difference))


def test_a_difference_is_significant_only_if_both_intervals_exclude_zero():
    clear = compare_over_seeds(answers([0.5] * 5), answers([0.7] * 5, seed=1))
    assert clear.is_significant
    two = compare_over_seeds(answers([0.6, 0.6]), answers([0.67, 0.77], seed=1))
    assert two.bootstrap[0] > 0 and two.by_t[0] < 0  # t over two seeds is wide
    assert not two.is_significant


def test_the_interval_has_the_wider_limit_on_each_side():
    """One of 11 rows differs: its resampled counts are skewed, so that the bootstrap
    has the higher upper limit."""
    other = np.zeros((3, 11))
    other[:, 0] = [5, 11, 17]
    result = compare_over_seeds(np.zeros((3, 11)), other)
    (low, high), (t_low, t_high) = result.bootstrap, result.by_t
    assert t_low < low and t_high < high
    assert result.interval == (t_low, high)


def test_one_seed_has_an_interval_over_units_and_is_never_significant():
    """Two units, differences 0 and 1: a mean of two draws is 0, 1/2, 1/2 or 1."""
    result = compare_over_seeds(np.array([[0.2, 0.0]]), np.array([[0.2, 1.0]]))
    assert (result.first, result.other) == pytest.approx((0.1, 0.6))
    assert (result.bootstrap, result.by_t, result.units) == ((0, 1), None, 2)
    assert result.interval == (0, 1)
    clear = compare_over_seeds(np.zeros((1, 7)), np.ones((1, 7)))
    assert clear.bootstrap == (1, 1) and not clear.is_significant


def test_the_bootstrap_interval_equals_resampling_single_units():
    first, other = answers([0.7]), answers([0.75], seed=1)
    differences = (other - first)[0]
    random = np.random.default_rng(7)
    means = [differences[random.integers(UNITS, size=UNITS)].mean() for _ in range(999)]
    low, high = compare_over_seeds(first, other).bootstrap
    assert (low, high) == pytest.approx(np.percentile(means, [2.5, 97.5]), abs=0.006)


def test_a_difference_of_groups_by_hand():
    """Two seeds; units 0 and 2 are inside. Differences inside minus outside: 1 - 1/2
    for the first seed, 1/2 - 0 for the second."""
    other = np.array([[1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
    inside = np.array([True, False, True, False])
    result = compare_over_seeds(np.zeros((2, 4)), other, inside)
    assert result.by_seed == (0.5, 0.5)
    assert (result.first, result.other, result.difference) == (0, 0.5, 0.5)
    assert result.by_t == pytest.approx((0.5, 0.5)) and result.units == 4


def test_each_group_keeps_its_number_of_units_in_the_bootstrap():
    """One unit inside, whose difference is 1, against constant ones outside: nothing
    is left to draw."""
    other = np.full((3, 11), 0.25)
    other[:, 4] = 1
    result = compare_over_seeds(np.zeros((3, 11)), other, np.arange(11) == 4)
    assert result.bootstrap == (0.75, 0.75) and result.is_significant


@pytest.mark.parametrize("shape", [(7,), (3, 5), (0, 7)])
def test_arrays_of_other_shapes_raise_an_error(shape):
    with pytest.raises(ValueError, match="must have the same shape .seeds, units."):
        compare_over_seeds(np.zeros(shape), np.zeros((1, 7)))


@pytest.mark.parametrize("inside", [np.zeros(7, bool), np.ones(7, bool)])
def test_groups_need_units_on_both_sides(inside):
    with pytest.raises(ValueError, match="true for some units and false for others"):
        compare_over_seeds(np.zeros((2, 7)), np.ones((2, 7)), inside)
