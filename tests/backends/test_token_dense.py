import numpy as np
import pytest

from dsa.backends.token_dense import TokenDense
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS = 2, 5, 7, 3


@pytest.mark.parametrize("shape", [(B, L, D), (B, D), (B, 1, 0, D)])
def test_it_maps_every_token(shape):
    x, layer = rand(*shape), TokenDense(UNITS, activation="relu")
    layer(x)
    randomize(layer)
    w = weights_of(layer)
    expected = np.maximum(0, x.astype(np.float64) @ w["kernel"] + w["bias"])
    np.testing.assert_allclose(numpy_of(layer(x)), expected, rtol=1e-4, atol=1e-5)


def test_it_is_a_layer():
    check_layer(lambda **k: TokenDense(UNITS, **k), rand(B, L, D), weights=2)
