import itertools
import threading
import time
import warnings

import keras
import numpy as np
import pytest

from dsa.backends.feed import BATCHES_AHEAD, feed, prefetch

pytestmark = pytest.mark.keras  # run on JAX in CI too


def test_the_third_batch_can_have_another_length():
    """Keras guesses a signature from two batches, and would fail at the third."""
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


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="only TensorFlow has datasets"
)
def test_autotuning_of_the_dataset_is_off():
    dataset = feed(lambda: iter([np.zeros((2, 3), np.int32)]))
    assert dataset.options().autotune.enabled is False


def test_a_thread_prepares_batches_in_advance_and_ends_with_the_generator():
    threads = []

    def count():
        for number in itertools.count():
            threads.append(threading.current_thread())
            yield number

    before = threading.active_count()
    batches = prefetch(count())
    assert list(itertools.islice(batches, 3)) == [0, 1, 2]
    deadline = time.monotonic() + 60
    while len(threads) < 3 + BATCHES_AHEAD and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(threads) == 3 + BATCHES_AHEAD and threading.main_thread() not in threads
    batches.close()
    assert threading.active_count() == before
    assert list(prefetch(iter("abc"))) == ["a", "b", "c"]


def test_an_error_of_the_thread_is_raised_at_its_batch():
    def broken():
        yield 1
        raise ValueError("two")

    batches = prefetch(broken())
    assert next(batches) == 1
    with pytest.raises(ValueError, match="two"):
        next(batches)
