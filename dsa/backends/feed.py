"""Input of Keras's `fit` and `predict` on each backend."""

import collections
import concurrent.futures
from collections.abc import Callable, Iterator
from typing import Any

import keras

BATCHES_AHEAD = 2  # batches to prepare in advance


def feed(make_batches: Callable[[], Iterator[Any]]) -> Any:
    """Returns the input of `fit` or `predict`; a thread prepares batches in advance.

    On TensorFlow, the input is a dataset whose signature leaves each dimension open:
    Keras would guess the signature from the first two batches, and fail at a third
    batch of another length. On other backends, it is a generator.

    Args:
        make_batches: a function without arguments that returns an iterator over
            batches: (nested) arrays, all of the same structure.
    """
    if keras.backend.backend() != "tensorflow":
        return make_ahead(make_batches())
    import tensorflow as tf

    signature = keras.tree.map_structure(
        lambda array: tf.TensorSpec((None,) * array.ndim, array.dtype),
        next(make_batches()),
    )
    dataset = tf.data.Dataset.from_generator(make_batches, output_signature=signature)
    return switch_off_tuning(dataset.prefetch(BATCHES_AHEAD))


def switch_off_tuning(dataset: Any) -> Any:
    """Returns the same TensorFlow dataset without autotuning.

    The autotuning thread sleeps for increasing times, and the end of the dataset waits
    for the thread, often for as long as the computation itself.
    """
    import tensorflow as tf

    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)


def make_ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """Yields the same batches; a thread prepares the next batches in advance.

    A GPU would otherwise wait for each batch. On a CPU, this and logs that are read in
    a thread reduced the time of JAX's steps of a very small model to 0.90
    (`results/benchmarks/NOTES.md`).
    """
    end = object()
    with concurrent.futures.ThreadPoolExecutor(1) as thread:

        def make_next():
            return thread.submit(next, batches, end)

        waiting = collections.deque(make_next() for _ in range(BATCHES_AHEAD))
        while (batch := waiting.popleft().result()) is not end:
            waiting.append(make_next())
            yield batch
