"""A training that is spread over several devices.

Each device holds the whole model and takes its share of the rows of every batch; the
gradients are summed over the devices. On JAX, Keras's own distribution does it, on
TensorFlow `tf.distribute`. Without dropout, the weights become those of a training on
one device with the same batches, except for the order of sums. On TensorFlow, every
device draws the same dropout for its rows.

This is for machines with several GPUs (JAX: or TPUs), and on JAX for several processes,
see `dsa.backends.processes`. No GPU has run it here: the tests use two virtual devices
of a CPU, and two processes.
"""

import contextlib

import keras

from dsa.errors import InputError


class Devices:
    """One device, or all GPUs (JAX: or TPUs) of this machine, or of those of all
    processes; without any, the CPUs.

    Args:
        choice: "one" or "all".

    Raises: `InputError` for all devices on PyTorch, and if processes have different
        numbers of them.
    """

    def __init__(self, choice):
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
            _check_equal_processes(len(self))
            self._distribution = keras.distribution.DataParallel(
                devices=self.names, auto_shard_dataset=False
            )

    def __len__(self):
        return len(self.names)

    def building_scope(self):
        """The context in which a model and its optimizer are built."""
        return self._strategy.scope() if self._strategy else self.training_scope()

    def training_scope(self):
        """The context of `fit`."""
        return _use_distribution(self._distribution)

    def evaluation_scope(self):
        """The context, inside that of `fit`, in which the rows of a batch stay on one
        device, so that batches may have any size."""
        return _use_distribution(None)

    def round_up(self, rows):
        """The next multiple of the number of devices: a batch of so many rows must be
        filled to it."""
        return -(-rows // len(self)) * len(self)


def _check_equal_processes(devices):
    import jax

    if jax.local_device_count() * jax.process_count() != devices:
        raise InputError(
            f"process {jax.process_index()} has {jax.local_device_count()} of the "
            f"{devices} devices of {jax.process_count()} processes: each needs equally "
            "many"
        )


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
    """Set Keras's distribution inside the context, on JAX. TensorFlow has none."""
    if keras.backend.backend() != "jax":
        yield
        return
    before = keras.distribution.distribution()
    keras.distribution.set_distribution(distribution)
    try:
        yield
    finally:
        keras.distribution.set_distribution(before)
