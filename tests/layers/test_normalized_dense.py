import numpy as np
import pytest

from dsa.layers.normalized_dense import NormalizedDense
from tests.support import equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS = 2, 5, 7, 11


@pytest.mark.parametrize("layer_norm", [True, False])
def test_it_matches_the_formula(layer_norm):
    x, layer = rand(B, L, D), NormalizedDense(UNITS, "relu", layer_norm=layer_norm)
    layer(x)
    randomize(layer)
    w = weights_of(layer)
    expected = np.maximum(
        0, equations.normalized_dense(x.astype(np.float64), w, w["bias"])
    )
    np.testing.assert_allclose(numpy_of(layer(x)), expected, rtol=1e-4, atol=1e-5)


def test_leaky_relu_has_the_slope_of_pytorch():
    x, layer = rand(B, L, D), NormalizedDense(UNITS, "leaky_relu", layer_norm=False)
    layer(x)
    randomize(layer)
    w = weights_of(layer)
    linear = equations.normalized_dense(x.astype(np.float64), w, w["bias"])
    expected = np.where(linear < 0, 0.01 * linear, linear)
    np.testing.assert_allclose(numpy_of(layer(x)), expected, rtol=1e-4, atol=1e-5)


def test_it_is_a_layer():
    check_layer(
        lambda **k: NormalizedDense(UNITS, "elu", **k), rand(B, L, D), weights=4
    )
    check_layer(
        lambda **k: NormalizedDense(UNITS, use_bias=False, layer_norm=False, **k),
        rand(B, L, D),
        weights=1,
    )
