import numpy as np
import pytest
from sklearn.metrics import f1_score

from dsa.tasks.bootstrap import compute_standard_error, measure_f1


def test_the_standard_error_of_a_mean_matches_the_formula():
    values = np.random.default_rng(0).normal(size=997)
    expected = values.std() / 997**0.5
    assert compute_standard_error(values) == pytest.approx(expected, rel=0.05)
    repeated = compute_standard_error(values.copy())
    assert compute_standard_error(values) == repeated  # a fixed seed
    assert compute_standard_error([0.5]) == 0


def test_f1_equals_scikit_learn_and_its_error_equals_resampled_rows():
    random = np.random.default_rng(0)
    gold = random.random(301) < 0.6
    predicted = np.where(random.random(301) < 0.8, gold, ~gold)
    f1, error = measure_f1(predicted, gold)
    assert f1 == pytest.approx(f1_score(gold, predicted))
    drawn = [random.integers(301, size=301) for _ in range(500)]
    samples = [f1_score(gold[rows], predicted[rows]) for rows in drawn]
    assert error == pytest.approx(np.std(samples), rel=0.15)


def test_f1_by_hand():
    predicted = np.array([True, True, True, False, False])
    gold = np.array([True, False, True, True, False])
    f1, _ = measure_f1(predicted, gold)
    assert f1 == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert measure_f1(~gold & False, gold) == (0, 0)
