"""Batches in the form that Keras's `fit` and `predict` take on each backend."""

import keras


def feed(batches):
    """What `fit` and `predict` read batches from.

    TensorFlow gets a dataset whose signature leaves every dimension open: Keras would
    guess it from the first two batches, and die at the third of another length. The
    other backends read the generator itself.

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
    return tf.data.Dataset.from_generator(batches, output_signature=signature).prefetch(
        2
    )
