import numpy as np
import pytest

from dsa.layers.source2token import Source2Token
from tests.support import equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D = 2, 5, 7


@pytest.mark.parametrize("layer_norm", [True, False])
def test_it_matches_the_equation(layer_norm):
    x, layer = rand(B, L, D), Source2Token(layer_norm=layer_norm)
    layer(x)
    randomize(layer)
    vector, (weights,) = layer(x, return_attention=True)
    for sentence in range(B):
        expected, expected_weights = equations.source2token(
            x[sentence].astype(np.float64), weights_of(layer)
        )
        np.testing.assert_allclose(
            numpy_of(vector)[sentence], expected, rtol=1e-4, atol=1e-5
        )
        np.testing.assert_allclose(
            numpy_of(weights.values)[sentence], expected_weights, rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("extra", [1, 4])
def test_padding_does_not_change_the_sentence(extra):
    x, layer = rand(1, L, D), Source2Token()
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.concatenate([x, 100 * rand(1, extra, D, seed=3)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + extra)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-6)


def test_nan_at_padding_does_not_change_the_sentence():
    x, layer = rand(1, L, D), Source2Token()
    alone = numpy_of(layer(x))
    longer = np.concatenate([x, np.full((1, 2, D), np.nan, np.float32)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + 2)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-6)


def test_the_vector_of_a_single_token_is_the_token():
    x, layer = rand(B, 1, D), Source2Token()
    np.testing.assert_allclose(numpy_of(layer(x)), x[:, 0], rtol=1e-6)


def test_it_is_a_layer():
    check_layer(lambda **k: Source2Token(**k), rand(B, L, D), weights=8)
