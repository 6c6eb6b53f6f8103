import numpy as np
import pytest

from dsa.layers.pooling import max_pool, max_pool_positions
from tests.support.layer_checks import numpy_of, rand

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D = 2, 5, 7
MASK = np.arange(L)[None] < np.array([[3], [5]])


def test_the_maximum_ignores_padding_if_all_features_are_negative():
    x = -1 - np.abs(rand(B, L, D))
    x[0, 3:] = 0  # zeros at padding exceed the features
    pooled = numpy_of(max_pool(x, MASK))
    np.testing.assert_array_equal(pooled[0], x[0, :3].max(0))
    np.testing.assert_array_equal(pooled[1], x[1].max(0))


def test_positions_are_the_arg_max():
    x = rand(B, L, D)
    winners = numpy_of(max_pool_positions(x, MASK))
    np.testing.assert_array_equal(winners[0], x[0, :3].argmax(0))
    assert winners.max() < L


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_the_maximum_ignores_padding_in_every_float_type(dtype):
    from keras import ops

    x = ops.cast(-100 + rand(B, L, D), dtype)
    pooled = numpy_of(ops.cast(max_pool(x, MASK), "float32"))
    assert (pooled < -90).all()
    assert np.isfinite(pooled).all()
