import keras
import numpy as np
import pytest

from dsa.backends.layer_normalization import LayerNormalization
from tests.support import equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, EPSILON = 2, 5, 7, 1e-5


def test_it_matches_the_formula():
    x, layer = rand(B, L, D), LayerNormalization(epsilon=EPSILON)
    layer(x)
    randomize(layer)
    w = weights_of(layer)
    expected = equations.layer_norm(x.astype(np.float64), w["gamma"], w["beta"])
    np.testing.assert_allclose(numpy_of(layer(x)), expected, rtol=1e-4, atol=1e-5)


def test_its_gradient_equals_the_gradient_of_keras():
    x, target, gradients = rand(B, L, D), rand(B, L, D, seed=1), []
    for kind in (keras.layers.LayerNormalization, LayerNormalization):
        layers = (
            keras.layers.Dense(D),
            kind(epsilon=EPSILON),
        )  # its gradient depends on the gradient of x
        model = keras.Sequential([keras.Input((L, D)), *layers])
        randomize(model)
        model.compile(keras.optimizers.SGD(1.0), "mse", jit_compile=False)
        before = [numpy_of(v).copy() for v in model.trainable_variables]
        model.train_on_batch(x, target)
        after = [numpy_of(v) for v in model.trainable_variables]
        gradients.append([old - new for old, new in zip(before, after, strict=True)])
    for plain, written in zip(*gradients, strict=True):
        assert np.abs(plain).max() > 1e-3
        np.testing.assert_allclose(written, plain, rtol=1e-4, atol=1e-6)


def test_it_is_serializable_and_has_two_weights():
    check_layer(LayerNormalization, rand(B, L, D), weights=2)


@pytest.mark.parametrize(
    "settings", [{"axis": 1}, {"axis": (1, 2)}, {"scale": False}, {"center": False}]
)
def test_other_arguments_have_the_result_of_keras(settings):
    x, results = rand(B, L, D), []
    for kind in (keras.layers.LayerNormalization, LayerNormalization):
        layer = kind(epsilon=EPSILON, **settings)
        layer(x)
        randomize(layer)
        results.append(numpy_of(layer(x)))
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)


def test_its_weights_have_the_names_of_keras():
    ours, theirs = LayerNormalization(), keras.layers.LayerNormalization()
    for layer in (ours, theirs):
        layer.build((None, D))
    assert [w.name for w in ours.weights] == [w.name for w in theirs.weights]
