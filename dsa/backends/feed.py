"""Input pipeline of `fit` and `predict` on each backend."""

import collections
import concurrent.futures
from collections.abc import Callable, Iterator
from typing import Any

import keras

BATCHES_AHEAD = 2  # number of batches prepared in advance


def feed(make_batches: Callable[[], Iterator[Any]]) -> Any:
    """Returns the input of `fit` or `predict`. A thread prepares batches in advance.

    On TensorFlow, the input is a dataset whose signature allows dimensions of any size.
    Keras would infer the signature from the first two batches, and fail at a later
    batch of another length. On other backends, the input is a generator.

    Args:
        make_batches: function without arguments that returns an iterator over batches.
            All batches are arrays, or nested structures of arrays, of the same
            structure.
    """
    if keras.backend.backend() != "tensorflow":
        return prefetch(make_batches())
    import tensorflow as tf

    signature = keras.tree.map_structure(
        lambda array: tf.TensorSpec((None,) * array.ndim, array.dtype),
        next(make_batches()),
    )
    dataset = tf.data.Dataset.from_generator(make_batches, output_signature=signature)
    return disable_autotuning(dataset.prefetch(BATCHES_AHEAD))


def disable_autotuning(dataset: Any) -> Any:
    """Returns a TensorFlow dataset without autotuning.

    The iterator of a dataset ends only after its autotuning thread, which sleeps for
    increasing times. This delay is often as long as the computation.
    """
    import tensorflow as tf

    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)


def prefetch(batches: Iterator[Any]) -> Iterator[Any]:
    """Yields the batches of an iterator while a thread prepares the next batches.

    Without the thread, a GPU would wait for each batch. On a CPU, prefetching and
    logging in threads reduced the time per step of a very small model on JAX by 10 %
    (`results/benchmarks/NOTES.md`).
    """
    end = object()
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        pending = collections.deque()
        for _ in range(BATCHES_AHEAD):
            pending.append(thread.submit(next, batches, end))
        while True:
            batch = pending.popleft().result()
            if batch is end:
                return
            pending.append(thread.submit(next, batches, end))
            yield batch
