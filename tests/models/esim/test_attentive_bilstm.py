import numpy as np
import pytest

from dsa.models.esim.attentive_bilstm import BiALSTM, WordAttention
from tests.support import esim_equations as equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    values_by_name,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS = 2, 4, 5, 3


def test_word_attention_matches_its_equations():
    x, layer = rand(B, L, D), WordAttention()
    layer(x)
    randomize(layer)
    s, alpha = layer(x)
    for row in range(B):
        expected = equations.word_attention(
            x[row].astype(np.float64), weights_of(layer)
        )
        np.testing.assert_allclose(numpy_of(s)[row], expected[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(numpy_of(alpha)[row], expected[1], rtol=1e-4)


@pytest.mark.parametrize("share_attention", [False, True])
@pytest.mark.parametrize("rescale", [False, True])
def test_it_matches_the_equations(share_attention, rescale):
    x = rand(B, L, D)
    layer = BiALSTM(UNITS, share_attention=share_attention, rescale=rescale)
    layer(x)
    randomize(layer)
    output, maps = layer(x, return_attention=True)
    assert values_by_name(maps)["word_attention_forward"].shape == (B, L)
    for row in range(B):
        expected = equations.bialstm(
            x[row].astype(np.float64), weights_of(layer), share_attention, rescale
        )
        np.testing.assert_allclose(
            numpy_of(output)[row], expected, rtol=1e-3, atol=1e-4
        )


@pytest.mark.parametrize("rescale", [False, True])
@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_changes_nothing(fill, rescale):
    x, layer = rand(1, L, D), BiALSTM(UNITS, rescale=rescale)
    layer(x)
    randomize(layer)  # biases that would show at padding
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.pad(x, ((0, 0), (0, 3), (0, 0)), constant_values=fill)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded[:, :L], alone, rtol=1e-5, atol=1e-6)
    assert (padded[:, L:] == 0).all()


@pytest.mark.parametrize(("share_attention", "weights"), [(False, 16), (True, 13)])
def test_it_is_a_layer(share_attention, weights):
    check_layer(
        lambda **k: BiALSTM(UNITS, share_attention=share_attention, **k),
        rand(B, L, D),
        weights=weights,
    )
