import numpy as np
import pytest

from dsa.errors import InputError
from dsa.evaluation.transfer.classifiers import (
    LEARNING_RATE,
    SoftmaxRegression,
)


def make_data(rows=40):
    random = np.random.default_rng(1)
    features = random.normal(size=(rows, 3))
    scores = 2 + features @ [0.5, -0.5, 0.1]
    targets = np.maximum(0, 1 - np.abs(np.clip(scores, 1, 3)[:, None] - [1, 2, 3]))
    return features, targets


def squared_error(regression, features, targets):
    return ((regression.predict_proba(features) - targets) ** 2).mean()


def test_the_first_step_decreases_the_mean_squared_error():
    features, targets = make_data()
    regression = SoftmaxRegression(3).fit(features, targets, lambda _: 0.0)
    regression.weights = [np.full((3, 3), 0.1), np.array([0.2, 0.0, -0.1])]
    regression.first_moments = [np.zeros_like(w) for w in regression.weights]
    regression.second_moments = [np.zeros_like(w) for w in regression.weights]
    regression.step = 0
    before, slopes = [w.copy() for w in regression.weights], []
    for w in regression.weights:
        slope = np.zeros_like(w)
        for place in np.ndindex(w.shape):
            values = []
            for step in (1e-6, -2e-6):
                w[place] += step
                values.append(squared_error(regression, features, targets))
            w[place] += 1e-6
            slope[place] = (values[0] - values[1]) / 2e-6
        slopes.append(slope)
    regression.train_epoch(features, targets)  # one batch
    for old, new, slope in zip(before, regression.weights, slopes, strict=True):
        # the length of Adam's first step is the learning rate for any slope
        np.testing.assert_allclose(
            new - old, -LEARNING_RATE * np.sign(slope), rtol=1e-3
        )


def test_training_keeps_the_weights_of_the_best_evaluation():
    features, targets = make_data()
    evaluations = []

    def measure(regression):
        evaluations.append([w.copy() for w in regression.weights])
        return [0.1, 0.5, 0.2, 0.4, 0.3, 0.2, 0.9][len(evaluations) - 1]

    regression = SoftmaxRegression(3).fit(features, targets, measure)
    assert len(evaluations) == 6  # ends with the fourth evaluation without improvement
    for kept, best in zip(regression.weights, evaluations[1], strict=True):
        np.testing.assert_array_equal(kept, best)
    trained = SoftmaxRegression(3).fit(
        features, targets, lambda r: -squared_error(r, features, targets)
    )
    assert squared_error(trained, features, targets) < 0.03
    again = SoftmaxRegression(3).fit(
        features, targets, lambda r: -squared_error(r, features, targets)
    )
    np.testing.assert_array_equal(again.weights[0], trained.weights[0])


def test_a_dev_metric_that_is_always_nan_is_an_error():
    regression = SoftmaxRegression(3)
    with pytest.raises(InputError, match="the dev metric of the regression is NaN"):
        regression.fit(np.eye(2), np.eye(2), lambda _: float("nan"))


def test_the_second_step_of_adam_is_corrected_for_its_moments():
    regression = SoftmaxRegression(3)
    regression._initialize(1, 1)
    before = float(regression.weights[0][0, 0])
    for slope in (1.0, -3.0):
        regression._apply_adam([np.full((1, 1), slope), np.zeros(1)])
    first = (0.9 * 0.1 - 0.1 * 3) / (1 - 0.9**2)
    second = (0.999 * 0.001 + 0.001 * 9) / (1 - 0.999**2)
    expected = -LEARNING_RATE * (1 + first / second**0.5)
    moved = float(regression.weights[0][0, 0]) - before
    assert moved == pytest.approx(expected, rel=1e-6)
