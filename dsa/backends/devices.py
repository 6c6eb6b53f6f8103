"""Training devices, and errors of their memory.

With several devices, each device has a copy of the model and computes a share of the
rows of each batch; the gradients are summed over the devices. JAX uses the distribution
API of Keras, TensorFlow `tf.distribute`. Without dropout, the weights equal those of a
training on one device with the same batches, up to the order of sums. On TensorFlow,
each device draws the same dropout masks for its rows.

Intended for machines with several GPUs (JAX: or TPUs). It has not been run on several
GPUs: the tests use two virtual devices of a CPU.
"""

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import keras

from dsa.errors import InputError
from dsa.system.environment import processor

OUT_OF_MEMORY = (  # parts of the name or message of an error
    "RESOURCE_EXHAUSTED",  # JAX
    "ResourceExhaustedError",  # TensorFlow
    "OOM when allocating",
    "OutOfMemoryError",  # PyTorch on a GPU
    "can't allocate memory",  # PyTorch
)
SHOWN_LETTERS = 120


class Devices:
    """One device, or all GPUs (JAX: or TPUs) of this machine; without any, the CPUs.

    Args:
        choice: "one" or "all".

    Raises: `InputError` for all devices on PyTorch.
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
        """Returns the context of `fit`."""
        return _use_distribution(self._distribution)

    def evaluation_scope(self) -> AbstractContextManager[Any]:
        """Returns a context, inside the context of `fit`, that computes a batch on one
        device, so that batches can have any size."""
        return _use_distribution(None)

    def round_up(self, rows: int) -> int:
        """Returns a number of rows, rounded up to a multiple of the devices."""
        return -(-rows // len(self)) * len(self)


def _list_names(backend):
    if backend == "jax":
        return keras.distribution.list_devices()
    import tensorflow as tf

    devices = tf.config.list_logical_devices("GPU")
    devices = devices or tf.config.list_logical_devices("CPU")
    return [device.name for device in devices]


def _mirror_over(names):
    import tensorflow as tf

    return tf.distribute.MirroredStrategy(names)


@contextlib.contextmanager
def _use_distribution(distribution):
    """Sets the distribution of Keras inside the context on JAX."""
    if keras.backend.backend() != "jax":
        yield
        return
    before = keras.distribution.distribution()
    keras.distribution.set_distribution(distribution)
    try:
        yield
    finally:
        keras.distribution.set_distribution(before)


def find_devices() -> tuple[str, list[str]]:
    """Returns the kind of devices, "GPU", "TPU" or "CPU", and their names on this
    machine; for CPUs, the name of the processor."""
    backend, kind, names = keras.backend.backend(), "GPU", []
    if backend == "tensorflow":
        import tensorflow as tf

        details = tf.config.experimental.get_device_details
        gpus = tf.config.list_physical_devices("GPU")
        names = [details(gpu).get("device_name", gpu.name) for gpu in gpus]
    elif backend == "jax":
        import jax

        if jax.default_backend() != "cpu":
            kind = "TPU" if jax.default_backend() == "tpu" else "GPU"
            names = [device.device_kind for device in jax.local_devices()]
    elif backend == "torch":
        import torch

        if torch.cuda.is_available():
            count = torch.cuda.device_count()
            names = [torch.cuda.get_device_name(number) for number in range(count)]
    return (kind, names) if names else ("CPU", [processor()])


def device() -> str:
    """Returns the name of the GPU or TPU in use; without any, "CPU" and the name of the
    processor."""
    kind, names = find_devices()
    return f"CPU, {names[0]}" if kind == "CPU" else names[0]


@contextlib.contextmanager
def raise_memory_error(advice: str) -> Iterator[None]:
    """Converts out-of-memory errors of the backend to `MemoryError` with an advice."""
    try:
        yield
    except Exception as error:
        if not any(sign in f"{type(error).__name__} {error}" for sign in OUT_OF_MEMORY):
            raise
        reason = str(error).strip().split("\n")[0][:SHOWN_LETTERS]
        raise MemoryError(f"{advice} ({reason})") from error
