"""Batches in the form that Keras's `fit` and `predict` take on each backend."""

import collections
import concurrent.futures

import keras

AHEAD = 2  # batches that wait to be taken


def feed(batches):
    """What `fit` and `predict` read batches from; they are made ahead, in a thread.

    TensorFlow gets a dataset whose signature leaves every dimension open: Keras would
    guess it from the first two batches, and die at the third of another length. It is
    not tuned as it runs: the thread that does so sleeps for longer and longer, and
    whoever is done with the dataset waits until it wakes, often as long again as the
    work took. The other backends read a generator.

    Args:
        batches: a function without arguments that returns an iterator over batches:
            (nested) arrays, the same structure each.
    """
    if keras.backend.backend() != "tensorflow":
        return made_ahead(batches())
    import tensorflow as tf

    signature = keras.tree.map_structure(
        lambda array: tf.TensorSpec((None,) * array.ndim, array.dtype), next(batches())
    )
    options = tf.data.Options()
    options.autotune.enabled = False
    dataset = tf.data.Dataset.from_generator(batches, output_signature=signature)
    return dataset.prefetch(AHEAD).with_options(options)


def made_ahead(batches):
    """The same batches, of which a thread of its own makes the next ones meanwhile.

    A generator: as Keras asks for one, and ended with it, the thread ends.

    Args:
        batches: an iterator.
    """
    end = object()
    with concurrent.futures.ThreadPoolExecutor(1) as thread:

        def next_one():
            return thread.submit(next, batches, end)

        waiting = collections.deque(next_one() for _ in range(AHEAD))
        while (batch := waiting.popleft().result()) is not end:
            waiting.append(next_one())
            yield batch
