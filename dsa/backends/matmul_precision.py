"""Precision of products of float32 matrices on a GPU.

By default, TensorFlow and JAX round the inputs to TensorFloat-32 (10 of 23 bits) on
GPUs that support it, and PyTorch does not. CPUs always compute in float32.
"""

import keras

TF32 = "tf32"
FLOAT32 = "float32"


def set_matmul_precision(precision: str) -> None:
    """Sets the precision of matrix products in this process.

    Call it before the first program is compiled.

    Args:
        precision: `"float32"`, or `"tf32"` for TensorFloat-32 on devices that support
            it.
    """
    rounds, backend = precision == TF32, keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow

        tensorflow.config.experimental.enable_tensor_float_32_execution(rounds)
    elif backend == "jax":
        import jax

        name = "tensorfloat32" if rounds else "float32"
        jax.config.update("jax_default_matmul_precision", name)
    else:
        import torch

        torch.set_float32_matmul_precision("high" if rounds else "highest")


def read_matmul_precision() -> str:
    """Returns the precision of matrix products in this process."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow

        rounds = tensorflow.config.experimental.tensor_float_32_execution_enabled()
    elif backend == "jax":
        import jax

        rounds = jax.config.jax_default_matmul_precision not in ("float32", "highest")
    else:
        import torch

        rounds = torch.get_float32_matmul_precision() != "highest"
    return TF32 if rounds else FLOAT32
