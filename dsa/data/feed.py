"""Batches in the form that Keras's `fit` and `predict` take on each backend."""

import keras


def feed(batches):
    """What `fit` and `predict` read batches from.

    TensorFlow gets a dataset whose signature leaves every dimension open: Keras would
    guess it from the first two batches, and die at the third of another length. It is
    not tuned as it runs: the thread that does so sleeps for longer and longer, and
    whoever is done with the dataset waits until it wakes, often as long again as the
    work took. The other backends read the generator itself.

    Args:
        batches: a function without arguments that returns an iterator over batches:
            (nested) arrays, the same structure each.
    """
    if keras.backend.backend() != "tensorflow":
        return (batch for batch in batches())  # Keras takes generators alone
    import tensorflow as tf

    signature = keras.tree.map_structure(
        lambda array: tf.TensorSpec((None,) * array.ndim, array.dtype), next(batches())
    )
    options = tf.data.Options()
    options.autotune.enabled = False
    dataset = tf.data.Dataset.from_generator(batches, output_signature=signature)
    return dataset.prefetch(2).with_options(options)
