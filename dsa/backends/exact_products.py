"""Products of matrices in full float32."""

import keras
from keras import ops


def exact_matmul(first, second):
    """The product of two float32 tensors, without the shorter numbers (TF32, bfloat16)
    that an accelerator multiplies by default.

    A squared distance is the difference of large products: an error of 0.001 of them
    would make equal vectors different.
    """
    backend = keras.backend.backend()
    if backend == "jax":
        import jax.numpy as jnp

        return jnp.matmul(first, second, precision="highest")
    if backend == "tensorflow":
        _switch_off_short_numbers()
    return ops.matmul(first, second)  # PyTorch's own default is exact


def _switch_off_short_numbers():
    """TensorFlow has one switch for all products of a process."""
    import tensorflow as tf

    if tf.config.experimental.tensor_float_32_execution_enabled():
        tf.config.experimental.enable_tensor_float_32_execution(False)
