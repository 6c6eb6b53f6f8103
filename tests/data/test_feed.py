import warnings

import keras
import numpy as np
import pytest

from dsa.data.feed import feed


def test_batches_of_any_length_follow_two_of_the_same():
    """The signature that Keras guesses from the first two would refuse the third."""
    ids = keras.Input((None,), dtype="int32")
    count = keras.ops.sum(keras.ops.cast(ids > 0, "float32"), axis=1, keepdims=True)
    model = keras.Model({"premise": ids}, keras.layers.Dense(1)(count))
    model.compile("sgd", "mse")
    lengths = [3, 3, 7, 2]

    def batch(length):
        return {"premise": np.ones((2, length), np.int32)}, np.zeros((2, 1), "f4")

    def batches():
        return map(batch, lengths)

    model.fit(feed(batches), steps_per_epoch=len(lengths), verbose=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        predicted = model.predict(feed(batches), steps=len(lengths), verbose=0)
    assert predicted.shape == (8, 1)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="tf.data alone")
def test_nobody_waits_for_a_dataset_that_is_done():
    dataset = feed(lambda: iter([np.zeros((2, 3), np.int32)]))
    assert dataset.options().autotune.enabled is False
