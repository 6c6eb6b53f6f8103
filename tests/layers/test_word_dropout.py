import numpy as np
import pytest

from dsa.layers.word_dropout import WordDropout
from tests.support.layer_checks import check_layer, numpy_of, rand

pytestmark = pytest.mark.keras  # run on JAX in CI too


def test_it_drops_features_in_training_only():
    x = np.ones((2, 50, 20), np.float32)
    layer = WordDropout(0.25, seed=1)
    np.testing.assert_array_equal(numpy_of(layer(x)), x)
    dropped = numpy_of(layer(x, training=True))
    np.testing.assert_allclose(np.unique(dropped), [0, 1 / 0.75], rtol=1e-6)
    assert (dropped == 0).mean() == pytest.approx(0.25, abs=0.03)


def test_it_is_a_layer():
    check_layer(lambda **k: WordDropout(0.1, **k), rand(2, 5, 7), weights=0)
