import keras
import numpy as np
import pytest

from dsa.models.baselines.recurrent_pooling import LastState
from tests.support.layer_checks import check_layer, numpy_of, rand, randomize

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS = 2, 5, 7, 3


@pytest.mark.parametrize(
    "cell, keras_layer", [("lstm", keras.layers.LSTM), ("gru", keras.layers.GRU)]
)
def test_it_is_the_state_after_the_last_real_token(cell, keras_layer):
    x, layer = rand(B, L, D), LastState(cell, UNITS)
    layer(x)
    randomize(layer)
    states = keras_layer(UNITS, return_sequences=True)
    states(x)
    states.set_weights(layer.get_weights())
    expected = numpy_of(states(x))[[0, 1], [1, 4]]
    x[0, 2:] = np.nan  # values at padding have no effect
    vectors = numpy_of(layer(x, mask=np.arange(L)[None] < np.array([[2], [5]])))
    np.testing.assert_allclose(vectors, expected, rtol=1e-5, atol=1e-6)


def test_an_unknown_cell_is_an_error():
    with pytest.raises(ValueError, match="`cell` must be one of .*: cell='rnn'$"):
        LastState("rnn", UNITS)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_it_is_a_layer(cell):
    check_layer(
        lambda **k: LastState(cell, UNITS, dropout=0.1, **k), rand(B, L, D), weights=3
    )
