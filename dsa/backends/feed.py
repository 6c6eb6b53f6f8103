"""Batches in the form that Keras's `fit` and `predict` read on each backend."""

import collections
import concurrent.futures
from collections.abc import Callable, Iterator
from typing import Any

import keras

BATCHES_AHEAD = 2  # that are ready before they are asked for


def feed(make_batches: Callable[[], Iterator[Any]]) -> Any:
    """Returns the batches as `fit` and `predict` read them; a thread makes them ahead.

    TensorFlow gets a dataset. Its signature leaves every dimension open: Keras would
    guess the signature from the first two batches, and stop with an error at the third
    if it has another length. The other backends get a generator.

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
    """Returns the same TensorFlow dataset, whose settings are not tuned while it runs.

    The thread that tunes a dataset sleeps for longer and longer times. The end of the
    dataset waits until that thread wakes, often as long again as the work took.
    """
    import tensorflow as tf

    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)


def make_ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """Yields the same batches; a thread, which ends with the generator, makes the next
    ones while one is used.

    This is for GPUs, which would wait for each batch. On a CPU, JAX's steps of a very
    small model took 0.90 of the time together with logs that are read in a thread
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
