import numpy as np
import pytest

from dsa.models.baselines.recurrent_pooling import InnerAttention
from tests.support.layer_checks import check_layer, numpy_of, rand, randomize

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D = 2, 5, 7
LENGTHS = (3, 5)
MASK = np.arange(L)[None] < np.array(LENGTHS)[:, None]


def attend(y, layer):
    """Liu et al. 2016, equations 2 to 4, for a sentence `(L, D)`, in float64."""
    of_state, of_mean, score = (
        numpy_of(w).astype(np.float64)
        for w in (
            layer.of_state.kernel,
            layer.of_mean.kernel,
            layer.score.kernel[:, 0],
        )
    )
    scores = np.tanh(y @ of_state + y.mean(axis=0) @ of_mean) @ score
    weights = np.exp(scores) / np.exp(scores).sum()
    return weights @ y, weights


@pytest.mark.parametrize("fill", [100, np.nan])
def test_it_matches_the_equations_for_any_padding(fill):
    x, layer = rand(B, L, D), InnerAttention()
    layer(x)
    randomize(layer)
    padded = np.where(MASK[..., None], x, fill).astype(np.float32)
    pooled, (token_map,) = layer(padded, mask=MASK, return_attention=True)
    for row, length in enumerate(LENGTHS):
        expected, weights = attend(x[row, :length].astype(np.float64), layer)
        np.testing.assert_allclose(numpy_of(pooled)[row], expected, atol=1e-5)
        np.testing.assert_allclose(
            numpy_of(token_map.values)[row, :length], weights, 1e-4
        )
        assert not numpy_of(token_map.values)[row, length:].any()


def test_it_is_a_layer():
    check_layer(lambda **k: InnerAttention(**k), rand(B, L, D), weights=3)
