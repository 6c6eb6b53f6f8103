import numpy as np
import pytest

from dsa.models.dsa.feed_forward import PositionWiseFeedForward
from tests.support import equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, HIDDEN = 2, 5, 7, 13


@pytest.mark.parametrize("layer_norm", [True, False])
def test_it_matches_the_equation(layer_norm):
    x, layer = rand(B, L, D), PositionWiseFeedForward(HIDDEN, layer_norm=layer_norm)
    layer(x)
    randomize(layer)
    expected = equations.feed_forward(x.astype(np.float64), weights_of(layer))
    np.testing.assert_allclose(numpy_of(layer(x)), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_it_is_a_layer(dropout):
    check_layer(
        lambda **k: PositionWiseFeedForward(HIDDEN, dropout=dropout, seed=1, **k),
        rand(B, L, D),
        weights=6,
    )


def test_the_hidden_layer_is_returned_on_request():
    x, layer = rand(B, L, D), PositionWiseFeedForward(HIDDEN)
    layer(x)
    randomize(layer)
    output, hidden = layer(x, return_hidden=True)
    np.testing.assert_array_equal(numpy_of(output), numpy_of(layer(x)))
    kernel, bias = (numpy_of(w) for w in layer.hidden.weights)
    expected = np.maximum(x.astype(np.float64) @ kernel + bias, 0)
    np.testing.assert_allclose(numpy_of(hidden), expected, rtol=1e-4, atol=1e-5)
    assert 0 < (expected == 0).mean() < 1
