"""What a product of float32 matrices is computed with on a GPU.

Left alone, TensorFlow and JAX round its inputs to TensorFloat-32 (10 bits of 23) on
GPUs that have it, and PyTorch does not. On a CPU both are full float32.
"""

import keras

TF32 = "tf32"
FLOAT32 = "float32"


def set_matmul_precision(precision: str) -> None:
    """Lets this process compute products with `"float32"`, or with `"tf32"` where the
    device has it; to be called before the first program is compiled."""
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
    """Returns what this process computes products with."""
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
