import keras
import numpy as np
import pytest

from dsa.backends.averages import averaged_weights
from dsa.backends.optimizers import OPTIMIZERS
from tests.support.layer_checks import rand

pytestmark = pytest.mark.keras  # run on JAX in CI too


def train(model, **settings):
    """Returns the weights after each of five steps."""
    optimizer = OPTIMIZERS["sgd"](0.1, **settings)
    model.compile(optimizer, "mse", jit_compile=False)
    weights = []
    for seed in range(5):
        model.train_on_batch(rand(7, 3, seed=seed), rand(7, 2, seed=seed + 5))
        weights.append(model.get_weights())
    return weights


def make_model():
    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])


def test_weights_are_averaged_only_inside_the_context():
    model = make_model()
    weights = train(model, use_ema=True, ema_momentum=0.7)
    expected = weights[0]
    for step in weights[1:]:
        expected = [0.7 * a + 0.3 * b for a, b in zip(expected, step, strict=True)]
    with pytest.raises(KeyError), averaged_weights(model):
        for average, actual in zip(expected, model.get_weights(), strict=True):
            np.testing.assert_allclose(actual, average, rtol=1e-5)
        raise KeyError
    for before, after in zip(weights[-1], model.get_weights(), strict=True):
        np.testing.assert_array_equal(after, before)


def test_weights_of_an_optimizer_without_averages_do_not_change():
    model = make_model()
    weights = train(model)
    with averaged_weights(model):
        for before, after in zip(weights[-1], model.get_weights(), strict=True):
            np.testing.assert_array_equal(after, before)
