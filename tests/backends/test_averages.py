import keras
import numpy as np
import pytest

from dsa.backends.averages import averaged_weights
from dsa.backends.optimizers import OPTIMIZERS
from tests.support.layer_checks import rand

pytestmark = pytest.mark.keras  # run on JAX in CI too


def train(model, **settings):
    """The weights after each of five steps."""
    optimizer = OPTIMIZERS["sgd"](0.1, **settings)
    model.compile(optimizer, "mse", jit_compile=False)
    weights = []
    for seed in range(5):
        model.train_on_batch(rand(7, 3, seed=seed), rand(7, 2, seed=seed + 5))
        weights.append(model.get_weights())
    return weights


def make_model():
    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])


def test_a_model_has_the_averages_inside_the_context_only():
    model = make_model()
    weights = train(model, use_ema=True, ema_momentum=0.7)
    expected = weights[0]
    for step in weights[1:]:
        expected = [0.7 * a + 0.3 * b for a, b in zip(expected, step, strict=True)]
    with pytest.raises(KeyError), averaged_weights(model):
        for average, found in zip(expected, model.get_weights(), strict=True):
            np.testing.assert_allclose(found, average, rtol=1e-5)
        raise KeyError
    for before, found in zip(weights[-1], model.get_weights(), strict=True):
        np.testing.assert_array_equal(found, before)


def test_without_averages_a_model_stays_as_it_is():
    model = make_model()
    weights = train(model)
    with averaged_weights(model):
        for before, found in zip(weights[-1], model.get_weights(), strict=True):
            np.testing.assert_array_equal(found, before)
