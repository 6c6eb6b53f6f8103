import numpy as np
import pytest

from dsa.layers.bilstm import BiLSTM
from dsa.layers.pooled_encoder import PooledEncoder
from dsa.layers.source2token import Source2Token
from dsa.models.disan.baseline_attention import (
    AdditiveAttention,
    MultiHeadSelfAttention,
)
from dsa.models.disan.blocks import BidirectionalDiSA
from tests.support.layer_checks import check_layer, numpy_of, rand, values_by_name

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS = 2, 7, 4, 6


def source2token():
    return Source2Token(layer_norm=False, name="source2token")


ENCODERS = {  # factory, number of weights, names of the maps
    "additive": (
        lambda **k: PooledEncoder(AdditiveAttention(), **k),
        3,
        {"additive_attention"},
    ),
    "source2token": (
        lambda **k: PooledEncoder(source2token(), **k),
        4,
        {"source2token"},
    ),
    "multi_head": (
        lambda **k: PooledEncoder(
            source2token(), MultiHeadSelfAttention(UNITS, 3), **k
        ),
        3 + 4,
        {"attention", "source2token"},
    ),
    "bilstm": (
        lambda **k: PooledEncoder(source2token(), BiLSTM(UNITS), **k),
        6 + 4,
        {"source2token"},
    ),
    "disan": (
        lambda **k: PooledEncoder(source2token(), BidirectionalDiSA(UNITS), **k),
        2 * 10 + 4,
        {
            "feature_attention_forward",
            "feature_attention_backward",
            "gate_forward",
            "gate_backward",
            "source2token",
        },
    ),
}


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("extra", [1, 4])
def test_padding_does_not_change_the_sentence(name, extra):
    x, layer = rand(1, L, D), ENCODERS[name][0]()
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.concatenate([x, 100 * rand(1, extra, D, seed=3)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + extra)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ENCODERS)
def test_the_maps_have_names(name):
    make, _, names = ENCODERS[name]
    x, layer = rand(B, L, D), make()
    vector, maps = layer(x, return_attention=True)
    assert set(values_by_name(maps)) == names
    np.testing.assert_allclose(numpy_of(vector), numpy_of(layer(x)), atol=1e-6)


@pytest.mark.parametrize("name", ENCODERS)
def test_it_pools_the_context(name):
    x, layer = rand(B, L, D), ENCODERS[name][0]()
    layer(x)
    tokens = x if layer.context is None else layer.context(x)
    np.testing.assert_allclose(
        numpy_of(layer(x)), numpy_of(layer.pooling(tokens)), atol=1e-6
    )


@pytest.mark.parametrize("name", ENCODERS)
def test_it_is_a_layer(name):
    make, weights, _ = ENCODERS[name]
    check_layer(make, rand(B, L, D), weights=weights)
