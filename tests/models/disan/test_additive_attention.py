import numpy as np
import pytest

from dsa.models.disan.baseline_attention import AdditiveAttention
from tests.support import disan_equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D = 2, 5, 7


def test_it_matches_the_equation():
    x, layer = rand(B, L, D), AdditiveAttention()
    layer(x)
    randomize(layer)
    vector, (weights,) = layer(x, return_attention=True)
    for sentence in range(B):
        expected, expected_weights = disan_equations.additive_attention(
            x[sentence].astype(np.float64), weights_of(layer)
        )
        np.testing.assert_allclose(
            numpy_of(vector)[sentence], expected, rtol=1e-4, atol=1e-5
        )
        np.testing.assert_allclose(
            numpy_of(weights.values)[sentence], expected_weights, rtol=1e-4, atol=1e-6
        )


@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_sentence(fill):
    x, layer = rand(1, L, D), AdditiveAttention()
    alone = numpy_of(layer(x))
    longer = np.concatenate([x, np.full((1, 3, D), fill, np.float32)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-6)


def test_the_input_of_each_linear_map_is_dropped():
    x, layer = rand(B, L, D), AdditiveAttention(dropout=0.5, seed=3)
    layer(x)
    hidden, bias, score = layer.get_weights()
    layer.set_weights([0 * hidden, bias + 1, score])  # one hidden vector for all tokens
    _, (attention,) = layer(x, training=False, return_attention=True)
    np.testing.assert_allclose(numpy_of(attention.values), 1 / L, rtol=1e-5)
    _, (attention,) = layer(x, training=True, return_attention=True)
    assert np.ptp(numpy_of(attention.values), axis=1).min() > 0.01
    layer.set_weights([hidden, bias, score])
    layer.score.drop.rate = 0
    attentions = []
    for training in (False, True):
        _, (attention,) = layer(x, training=training, return_attention=True)
        attentions.append(numpy_of(attention.values))
    assert np.abs(attentions[0] - attentions[1]).max() > 1e-3


def test_it_is_a_layer():
    check_layer(
        lambda **k: AdditiveAttention(dropout=0.1, l2=0.01, **k),
        rand(B, L, D),
        weights=3,
    )
