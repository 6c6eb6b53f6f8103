"""Fits of power laws, and their intervals."""

import numpy as np
import pytest

from tools.learning_curves import (
    ALL_PAIRS,
    describe_curve,
    fit_power_laws,
    predict_errors,
    resample_errors,
)

PAIRS = [10_000, 20_000, 40_000, 80_000, 141_511]


@pytest.mark.parametrize("law", [(5.0, 0.3, 0.1), (2.0, 0.12, 0.0), (9.0, 0.5, 0.2)])
def test_a_fit_recovers_the_parameters_of_a_power_law(law):
    errors = predict_errors(np.array([law]), PAIRS)
    np.testing.assert_allclose(fit_power_laws(PAIRS, errors), [law], rtol=1e-6)


def test_offset_and_slope_are_never_negative():
    straight = 0.5 - 0.03 * np.log(PAIRS)  # steeper than each power law with offset 0
    falling, rising = fit_power_laws(PAIRS, [straight, straight[::-1]])
    assert falling[0] > 0 and falling[2] == 0
    assert rising[0] == 0 and rising[2] == pytest.approx(straight.mean())


def test_a_fit_is_better_than_its_neighbours():
    errors = np.array([[0.32, 0.29, 0.25, 0.235, 0.22]])
    parameters = fit_power_laws(PAIRS, errors)

    def loss(changed):
        return ((predict_errors(changed, PAIRS) - errors) ** 2).sum()

    for column, step in ((0, 0.01), (1, 0.01), (2, 1e-3)):
        for sign in (-1, 1):
            changed = parameters.copy()
            changed[0, column] += sign * step
            assert loss(changed) > loss(parameters)


def test_samples_vary_by_seeds_and_by_rows():
    random = np.random.default_rng(0)
    by_seed = np.repeat([[0.0], [1.0]], 50, axis=1)
    by_row = np.repeat([[0.0, 1.0]], 25, axis=1)
    seeds = resample_errors([by_seed, by_seed], random)
    assert set(np.unique(seeds)) == {0, 0.5, 1}
    assert (seeds[:, 0] == seeds[:, 1]).all()  # all sizes share the seeds
    rows = resample_errors([by_row], random)
    assert rows.mean() == pytest.approx(0.5, abs=0.01)
    assert rows.std() == pytest.approx(0.5 / np.sqrt(50), rel=0.1)


def test_the_lines_contain_means_and_an_extrapolation():
    random = np.random.default_rng(0)
    truth = 1 - predict_errors(np.array([[5.0, 0.3, 0.1]]), [*PAIRS, ALL_PAIRS])[0]
    curve = {
        size: ("16, 17", (random.random((2, 10_000)) < accuracy).astype(float))
        for size, accuracy in zip(PAIRS, truth, strict=False)
    }
    lines = describe_curve(curve)
    assert [line[0] for line in lines] == [*PAIRS, ALL_PAIRS]
    for (size, seeds, accuracy, fitted, low, high), expected in zip(
        lines, truth, strict=True
    ):
        assert float(low) < float(fitted) < float(high)
        assert float(fitted) == pytest.approx(expected, abs=0.01)
        if size in curve:
            assert seeds == "16, 17"
            assert float(accuracy) == pytest.approx(curve[size][1].mean())
        else:
            assert (seeds, accuracy) == ("", "")
