import keras
import numpy as np
import pytest

from dsa.layers.word_embedding import WordDropout, WordEmbedding
from tests.support.layer_checks import check_layer, numpy_of, rand

pytestmark = pytest.mark.keras  # run on JAX in CI too

ROWS, UNITS, PROJECTED = 11, 5, 7
IDS = np.array([[2, 10, 0], [1, 1, 3]], np.int32)


def test_ids_are_mapped_to_their_vectors():
    layer, vectors = WordEmbedding(ROWS, UNITS), rand(ROWS, UNITS)
    layer.build()
    layer.set_vectors(vectors)
    np.testing.assert_array_equal(numpy_of(layer(IDS)), vectors[IDS])


def test_the_projection_is_trainable_and_has_no_bias():
    layer, vectors = WordEmbedding(ROWS, UNITS, projection=PROJECTED), rand(ROWS, UNITS)
    layer.build()
    layer.set_vectors(vectors)
    (kernel,) = layer.trainable_variables
    assert kernel.shape == (UNITS, PROJECTED)
    np.testing.assert_allclose(
        numpy_of(layer(IDS)), vectors[IDS] @ numpy_of(kernel), rtol=1e-5, atol=1e-6
    )


def test_vectors_are_trainable_unless_they_are_frozen():
    frozen, trained = WordEmbedding(ROWS, UNITS), WordEmbedding(ROWS, UNITS, True)
    frozen.build(), trained.build()
    assert not frozen.trainable_variables
    assert len(trained.trainable_variables) == 1


def test_rows_at_the_end_stay_frozen_while_others_train():
    layer, vectors = WordEmbedding(ROWS, UNITS, True, frozen_rows=4), rand(ROWS, UNITS)
    layer.build()
    layer.set_vectors(vectors)
    np.testing.assert_array_equal(numpy_of(layer(IDS)), vectors[IDS])
    np.testing.assert_array_equal(layer.vectors(), vectors)
    (trained,) = layer.trainable_variables
    assert trained.shape == (7, UNITS)
    model = keras.Sequential([keras.Input((3,), dtype="int32"), layer])
    model.compile(keras.optimizers.SGD(1.0), "mse", jit_compile=False)
    model.train_on_batch(IDS, np.ones((2, 3, UNITS), np.float32))
    moved = np.abs(layer.vectors() - vectors).max(axis=1) > 0
    assert set(np.flatnonzero(moved)) == {0, 1, 2, 3}  # 10 occurs as well


def test_word_dropout_is_active_in_training_only():
    x = np.ones((2, 50, 20), np.float32)
    layer = WordDropout(0.25, seed=1)
    np.testing.assert_array_equal(numpy_of(layer(x)), x)
    dropped = numpy_of(layer(x, training=True))
    np.testing.assert_allclose(np.unique(dropped), [0, 1 / 0.75], rtol=1e-6)
    assert (dropped == 0).mean() == pytest.approx(0.25, abs=0.03)


def test_word_dropout_is_a_layer():
    check_layer(lambda **k: WordDropout(0.1, **k), rand(2, 5, 7), weights=0)
