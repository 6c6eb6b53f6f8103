import keras
import numpy as np
import pytest

from dsa.layers.bilstm import BiLSTM
from tests.support.layer_checks import check_layer, numpy_of, rand, randomize

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS = 2, 5, 7, 3


def test_each_direction_is_a_keras_lstm():
    x, layer = rand(B, L, D), BiLSTM(UNITS)
    layer(x)
    randomize(layer)
    values = layer.get_weights()
    output = numpy_of(layer(x))
    for number, backwards in enumerate((False, True)):
        lstm = keras.layers.LSTM(UNITS, return_sequences=True, go_backwards=backwards)
        lstm(x)
        lstm.set_weights(values[3 * number : 3 * number + 3])
        expected = numpy_of(lstm(x))
        expected = expected[:, ::-1] if backwards else expected
        part = output[:, :, number * UNITS : (number + 1) * UNITS]
        np.testing.assert_allclose(part, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_states(fill):
    x, layer = rand(1, L, D), BiLSTM(UNITS)
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.concatenate([x, np.full((1, 3, D), fill, np.float32)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded[:, :L], alone, rtol=1e-5, atol=1e-6)


def test_it_is_a_layer():
    check_layer(lambda **k: BiLSTM(UNITS, dropout=0.1, **k), rand(B, L, D), weights=6)
