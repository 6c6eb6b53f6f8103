import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import f1_score

from dsa.tasks.bootstrap import compare_paired, f1_with_error, standard_error


def test_the_standard_error_of_a_mean_is_that_of_the_formula():
    values = np.random.default_rng(0).normal(size=997)
    expected = values.std() / 997**0.5
    assert standard_error(values) == pytest.approx(expected, rel=0.05)
    assert standard_error(values) == standard_error(values.copy())  # a fixed seed
    assert standard_error([0.5]) == 0


def test_a_difference_is_paired():
    """Two values, differences 0 and 1: a mean of two draws is 0, 1/2, 1/2 or 1."""
    result = compare_paired([0.2, 0.0], [0.2, 1.0])
    assert (result.first, result.other) == pytest.approx((0.1, 0.6))
    assert result.difference == pytest.approx(0.5)
    assert (result.low, result.high, result.units) == (0, 1, 2)
    assert result.error == pytest.approx(0.125**0.5, rel=0.05)
    assert not result.is_significant


def test_a_constant_difference_is_certain_however_much_the_values_vary():
    values = np.random.default_rng(0).normal(size=50)
    result = compare_paired(values, values - 0.25)
    assert (result.low, result.high) == pytest.approx((-0.25, -0.25))
    assert result.is_significant


def test_each_mean_has_its_interval():
    """Two values: a mean of two draws is the one, the other or between."""
    result = compare_paired([0.25, 0.75], [1.0, 1.0])
    assert result.first_interval == (0.25, 0.75)
    assert result.other_interval == (1.0, 1.0)


def test_p_is_that_of_mcnemars_test_where_values_are_right_or_wrong():
    first = np.array([1.0] * 20 + [0.0] * 8 + [1.0] * 50)
    other = np.array([0.0] * 20 + [1.0] * 8 + [1.0] * 50)
    expected = binomtest(8, 28).pvalue
    assert compare_paired(first, other).p == pytest.approx(expected, abs=0.01)
    assert compare_paired(first, first).p == 1
    assert compare_paired(first, first + 0.5).p == pytest.approx(1 / 2001)


def test_f1_is_that_of_scikit_learn_with_an_error_by_drawing_rows():
    random = np.random.default_rng(0)
    gold = random.random(301) < 0.6
    predicted = np.where(random.random(301) < 0.8, gold, ~gold)
    f1, error = f1_with_error(predicted, gold)
    assert f1 == pytest.approx(f1_score(gold, predicted))
    drawn = [random.integers(301, size=301) for _ in range(500)]
    samples = [f1_score(gold[rows], predicted[rows]) for rows in drawn]
    assert error == pytest.approx(np.std(samples), rel=0.15)


def test_f1_by_hand():
    predicted = np.array([True, True, True, False, False])
    gold = np.array([True, False, True, True, False])
    f1, _ = f1_with_error(predicted, gold)
    assert f1 == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert f1_with_error(~gold & False, gold) == (0, 0)
