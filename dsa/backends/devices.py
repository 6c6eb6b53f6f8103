"""Training devices, and out-of-memory errors.

With several devices, each device has a copy of the model and computes a share of the
rows of each batch; the gradients are summed over the devices. JAX uses the distribution
API of Keras, TensorFlow `tf.distribute`. Without dropout, the weights equal those of a
training on one device with the same batches, up to the order of sums. On TensorFlow,
each device draws the same dropout masks for its rows.

Intended for machines with several GPUs or, on JAX, several TPUs. It has not been run on
several GPUs: the tests use two virtual devices of a CPU.
"""

import contextlib
import math
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import keras

from dsa.errors import InputError
from dsa.system.environment import processor

OUT_OF_MEMORY_SIGNS = (  # parts of the type or message of an out-of-memory error
    "RESOURCE_EXHAUSTED",  # JAX
    "ResourceExhaustedError",  # TensorFlow
    "OOM when allocating",
    "OutOfMemoryError",  # PyTorch on a GPU
    "can't allocate memory",  # PyTorch
)
MAX_REASON_LENGTH = 120  # characters


class Devices:
    """Training devices of this machine.

    Args:
        choice: "one" for a single device; "all" for all GPUs (or TPUs, on JAX), or all
            CPU devices of a machine without GPUs.

    Raises: `InputError` for "all" on PyTorch.
    """

    def __init__(self, choice: str) -> None:
        backend = keras.backend.backend()
        self.names = [None]
        if choice == "all":
            if backend not in ("jax", "tensorflow"):
                raise InputError(
                    f"'training.devices: all' does not work on {backend}: train on "
                    "JAX or TensorFlow, or with one device"
                )
            self.names = _list_names(backend)
        self._strategy = self._distribution = None
        if len(self) > 1 and backend == "tensorflow":
            self._strategy = _mirror_over(self.names)
        elif len(self) > 1:
            self._distribution = keras.distribution.DataParallel(
                devices=self.names, auto_shard_dataset=False
            )

    def __len__(self) -> int:
        return len(self.names)

    def building_scope(self) -> AbstractContextManager[Any]:
        """Returns the context for building a model and its optimizer."""
        return self._strategy.scope() if self._strategy else self.training_scope()

    def training_scope(self) -> AbstractContextManager[Any]:
        """Returns the context for calling `fit`."""
        return _use_distribution(self._distribution)

    def evaluation_scope(self) -> AbstractContextManager[Any]:
        """Returns the context for evaluation during `fit`.

        It computes each batch on one device, so that batches can have any size.
        """
        return _use_distribution(None)

    def round_up(self, rows: int) -> int:
        """Rounds a number of rows up to a multiple of the number of devices."""
        return math.ceil(rows / len(self)) * len(self)


def _list_names(backend):
    """Returns the names of all devices, for the backend's distribution API."""
    if backend == "jax":
        return keras.distribution.list_devices()
    import tensorflow as tf

    devices = tf.config.list_logical_devices("GPU")
    if not devices:
        devices = tf.config.list_logical_devices("CPU")
    return [device.name for device in devices]


def _mirror_over(names):
    """Returns a TensorFlow strategy with a copy of the model on each device."""
    import tensorflow as tf

    return tf.distribute.MirroredStrategy(names)


@contextlib.contextmanager
def _use_distribution(distribution):
    """Context with a distribution of Keras; a no-op on TensorFlow and PyTorch."""
    if keras.backend.backend() != "jax":
        yield
        return
    previous = keras.distribution.distribution()
    keras.distribution.set_distribution(distribution)
    try:
        yield
    finally:
        keras.distribution.set_distribution(previous)


def find_devices() -> tuple[str, list[str]]:
    """Returns the kind and the names of the devices of this machine.

    Returns: "GPU", "TPU" or "CPU", and a list of names; for "CPU", the list contains
        the name of the processor.
    """
    backend = keras.backend.backend()
    kind, names = "GPU", []
    if backend == "tensorflow":
        import tensorflow as tf

        for gpu in tf.config.list_physical_devices("GPU"):
            details = tf.config.experimental.get_device_details(gpu)
            names.append(details.get("device_name", gpu.name))
    elif backend == "jax":
        import jax

        if jax.default_backend() == "tpu":
            kind = "TPU"
        if jax.default_backend() != "cpu":
            names = [device.device_kind for device in jax.local_devices()]
    elif backend == "torch":
        import torch

        if torch.cuda.is_available():
            count = torch.cuda.device_count()
            names = [torch.cuda.get_device_name(number) for number in range(count)]
    if not names:
        return "CPU", [processor()]
    return kind, names


def device() -> str:
    """Returns the name of the first GPU or TPU, or else "CPU" and the name of the
    processor."""
    kind, names = find_devices()
    return f"CPU, {names[0]}" if kind == "CPU" else names[0]


@contextlib.contextmanager
def raise_memory_error(advice: str) -> Iterator[None]:
    """Context that converts out-of-memory errors of the backend to `MemoryError`.

    Args:
        advice: remedy in the message of the error.
    """
    try:
        yield
    except Exception as error:
        text = f"{type(error).__name__} {error}"
        if not any(sign in text for sign in OUT_OF_MEMORY_SIGNS):
            raise
        reason = str(error).strip().split("\n")[0][:MAX_REASON_LENGTH]
        raise MemoryError(f"{advice} ({reason})") from error
