import numpy as np

from dsa.evaluation.transfer.classifiers import (
    RATE,
    ProbabilityRegression,
)


def make_data(rows=40):
    random = np.random.default_rng(1)
    features = random.normal(size=(rows, 3))
    scores = 2 + features @ [0.5, -0.5, 0.1]
    shares = np.maximum(0, 1 - np.abs(np.clip(scores, 1, 3)[:, None] - [1, 2, 3]))
    return features, shares


def squared_error(regression, features, shares):
    return ((regression.predict_shares(features) - shares) ** 2).mean()


def test_the_first_step_decreases_the_mean_squared_error():
    features, shares = make_data()
    regression = ProbabilityRegression(3).fit(features, shares, lambda _: 0.0)
    regression.weights = [np.full((3, 3), 0.1), np.array([0.2, 0.0, -0.1])]
    regression.moments = [[np.zeros_like(w) for w in regression.weights] for _ in "mv"]
    regression.step = 0
    before, slopes = [w.copy() for w in regression.weights], []
    for w in regression.weights:
        slope = np.zeros_like(w)
        for place in np.ndindex(w.shape):
            values = []
            for step in (1e-6, -2e-6):
                w[place] += step
                values.append(squared_error(regression, features, shares))
            w[place] += 1e-6
            slope[place] = (values[0] - values[1]) / 2e-6
        slopes.append(slope)
    regression._train_epoch(features, shares)  # one batch
    for old, new, slope in zip(before, regression.weights, slopes, strict=True):
        # the length of Adam's first step is the learning rate for any slope
        np.testing.assert_allclose(new - old, -RATE * np.sign(slope), rtol=1e-3)


def test_training_keeps_the_weights_of_the_best_evaluation():
    features, shares = make_data()
    evaluations = []

    def measure(regression):
        evaluations.append([w.copy() for w in regression.weights])
        return [0.1, 0.5, 0.2, 0.4, 0.3, 0.2, 0.9][len(evaluations) - 1]

    regression = ProbabilityRegression(3).fit(features, shares, measure)
    assert len(evaluations) == 6  # ends with the fourth evaluation without improvement
    for kept, best in zip(regression.weights, evaluations[1], strict=True):
        np.testing.assert_array_equal(kept, best)
    trained = ProbabilityRegression(3).fit(
        features, shares, lambda r: -squared_error(r, features, shares)
    )
    assert squared_error(trained, features, shares) < 0.03
    again = ProbabilityRegression(3).fit(
        features, shares, lambda r: -squared_error(r, features, shares)
    )
    np.testing.assert_array_equal(again.weights[0], trained.weights[0])
