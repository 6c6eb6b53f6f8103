"""Training devices, the precision of matrix products, and out-of-memory errors.

With several devices, each device has a copy of the model and computes a share of the
rows of each batch. The gradients are summed over the devices. JAX uses the distribution
API of Keras, TensorFlow `tf.distribute`. Without dropout, training gives the same
weights as on one device, up to the order of floating-point sums. Limitation: on
TensorFlow, all devices use identical dropout masks.

Intended for machines with several GPUs or, on JAX, several TPUs. Tested with two
virtual CPU devices; untested on several GPUs.

By default, TensorFlow and JAX round the inputs of products of float32 matrices to
TensorFloat-32 (10 of 23 bits) on GPUs that support it; PyTorch rounds only the inputs
of convolutions. CPUs always compute in float32.
"""

import contextlib
import math
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import keras

from dsa.errors import InputError
from dsa.system.environment import get_processor_name

OUT_OF_MEMORY_PATTERNS = (  # substrings of "<type> <message>" of an error
    "RESOURCE_EXHAUSTED",  # JAX
    "ResourceExhaustedError",  # TensorFlow
    "OOM when allocating",
    "OutOfMemoryError",  # PyTorch on a GPU
    "can't allocate memory",  # PyTorch
)
MAX_REASON_LENGTH = 120  # characters
TF32 = "tf32"
FLOAT32 = "float32"


class Devices:
    """Training devices of this machine.

    Args:
        devices: "one" for a single device; "all" for all GPUs (or TPUs, on JAX), or all
            CPU devices of a machine without GPUs.

    Raises: `InputError` if `devices` is "all" on PyTorch; `ValueError` if it is neither
        "one" nor "all".
    """

    def __init__(self, devices: str) -> None:
        if devices not in ("one", "all"):
            raise ValueError(f"`devices` must be 'one' or 'all'. Received: {devices!r}")
        backend = keras.backend.backend()
        self._strategy = None
        self._distribution = None
        self.count = 1
        if devices == "one":
            return
        if backend not in ("jax", "tensorflow"):
            raise InputError(
                f"'training.devices: all' does not work on {backend}: train on JAX or "
                "TensorFlow, or with one device"
            )
        device_ids = _list_device_ids(backend)
        self.count = len(device_ids)
        if self.count == 1:
            return
        if backend == "tensorflow":
            import tensorflow as tf

            self._strategy = tf.distribute.MirroredStrategy(device_ids)
        else:
            self._distribution = keras.distribution.DataParallel(
                devices=device_ids, auto_shard_dataset=False
            )

    def __len__(self) -> int:
        return self.count

    def build_scope(self) -> AbstractContextManager[Any]:
        """Returns the context for building a model and its optimizer."""
        if self._strategy is not None:
            return self._strategy.scope()
        return _use_distribution(self._distribution)

    def fit_scope(self) -> AbstractContextManager[Any]:
        """Returns the context for calling `fit`."""
        return _use_distribution(self._distribution)

    def evaluate_scope(self) -> AbstractContextManager[Any]:
        """Returns the context for evaluation during `fit`.

        Each batch is computed on one device, so its size need not be a multiple of the
        number of devices.
        """
        return _use_distribution(None)

    def round_up_batch_size(self, batch_size: int) -> int:
        """Rounds a batch size up to a multiple of the number of devices."""
        return math.ceil(batch_size / len(self)) * len(self)


def _list_device_ids(backend):
    """Returns device identifiers, such as "gpu:0", for the distribution API of the
    backend."""
    if backend == "jax":
        return keras.distribution.list_devices()
    import tensorflow as tf

    devices = tf.config.list_logical_devices("GPU")
    if not devices:
        devices = tf.config.list_logical_devices("CPU")
    return [device.name for device in devices]


@contextlib.contextmanager
def _use_distribution(distribution):
    """Context manager that sets the global Keras distribution on JAX."""
    if keras.backend.backend() != "jax":
        yield
        return
    previous = keras.distribution.distribution()
    keras.distribution.set_distribution(distribution)
    try:
        yield
    finally:
        keras.distribution.set_distribution(previous)


def list_device_names() -> tuple[str, list[str]]:
    """Returns the kind and the model names of the devices of this machine.

    Returns: "GPU", "TPU" or "CPU", and a list of model names; for "CPU", the list
        contains the name of the processor.
    """
    backend = keras.backend.backend()
    kind = "GPU"
    if backend == "tensorflow":
        names = _list_tensorflow_gpus()
    elif backend == "jax":
        kind, names = _list_jax_devices()
    else:
        names = _list_torch_gpus()
    if not names:
        return "CPU", [get_processor_name()]
    return kind, names


def _list_tensorflow_gpus():
    import tensorflow as tf

    names = []
    for gpu in tf.config.list_physical_devices("GPU"):
        details = tf.config.experimental.get_device_details(gpu)
        names.append(details.get("device_name", gpu.name))
    return names


def _list_jax_devices():
    """Returns the kind and the model names of the GPUs or TPUs. A CPU has no name."""
    import jax

    kind = "TPU" if jax.default_backend() == "tpu" else "GPU"
    if jax.default_backend() == "cpu":
        return kind, []
    return kind, [device.device_kind for device in jax.local_devices()]


def _list_torch_gpus():
    import torch

    if not torch.cuda.is_available():
        return []
    indices = range(torch.cuda.device_count())
    return [torch.cuda.get_device_name(index) for index in indices]


def get_device_name() -> str:
    """Returns the model name of the first GPU or TPU, or "CPU, <processor>"."""
    kind, names = list_device_names()
    if kind == "CPU":
        return f"CPU, {names[0]}"
    return names[0]


def set_matmul_precision(precision: str) -> None:
    """Sets the precision of matrix products and convolutions in this process.

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
        torch.backends.cudnn.allow_tf32 = use_tf32  # of convolutions


def read_matmul_precision() -> str:
    """Returns the precision of matrix products in this process, "float32" or "tf32".

    "tf32" if only convolutions use it, as with PyTorch's default settings.
    """
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

        uses_tf32 = (
            torch.get_float32_matmul_precision() != "highest"
            or torch.backends.cudnn.allow_tf32
        )
    return TF32 if uses_tf32 else FLOAT32


@contextlib.contextmanager
def convert_memory_errors(advice: str) -> Iterator[None]:
    """Context manager that converts out-of-memory errors of the backend to
    `MemoryError`.

    Args:
        advice: start of the error message, such as "use a smaller batch size".
    """
    try:
        yield
    except Exception as error:
        text = f"{type(error).__name__} {error}"
        if not any(pattern in text for pattern in OUT_OF_MEMORY_PATTERNS):
            raise
        reason = str(error).strip().split("\n")[0][:MAX_REASON_LENGTH]
        raise MemoryError(f"{advice} ({reason})") from error
