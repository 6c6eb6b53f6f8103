"""Precision of products of float32 matrices on a GPU.

By default, TensorFlow and JAX round the inputs to TensorFloat-32 (10 of 23 bits) on
GPUs that support it; PyTorch does not round. CPUs always compute in float32.
"""

import keras

TF32 = "tf32"
FLOAT32 = "float32"


def set_matmul_precision(precision: str) -> None:
    """Sets the precision of matrix products in this process.

    Call it before the first program is compiled.

    Args:
        precision: "float32", or "tf32" for TensorFloat-32 on devices that support it.
    """
    use_tf32 = precision == TF32
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow

        tensorflow.config.experimental.enable_tensor_float_32_execution(use_tf32)
    elif backend == "jax":
        import jax

        name = "tensorfloat32" if use_tf32 else "float32"
        jax.config.update("jax_default_matmul_precision", name)
    else:
        import torch

        torch.set_float32_matmul_precision("high" if use_tf32 else "highest")


def read_matmul_precision() -> str:
    """Returns the precision of matrix products in this process, "float32" or "tf32"."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow

        uses_tf32 = tensorflow.config.experimental.tensor_float_32_execution_enabled()
    elif backend == "jax":
        import jax

        precision = jax.config.jax_default_matmul_precision
        uses_tf32 = precision not in ("float32", "highest")
    else:
        import torch

        uses_tf32 = torch.get_float32_matmul_precision() != "highest"
    return TF32 if uses_tf32 else FLOAT32
