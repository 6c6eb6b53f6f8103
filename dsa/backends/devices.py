"""The devices of this machine that a training is spread over.

Each device holds the whole model and takes its share of every batch's rows; gradients
are summed over the devices. Keras's own distribution does it on JAX, `tf.distribute` on
TensorFlow. Without dropout, weights become those of one device with the same batches,
but for the order of sums; on TensorFlow, each device draws the same dropout for its
rows as the others for theirs.
"""

import contextlib

import keras

from dsa.errors import InputError


class Devices:
    """One device, or all GPUs (JAX: or TPUs) of this machine, its CPU's if it has none.

    Args:
        which: "one" or "all".

    Raises: `InputError` for all devices on PyTorch.
    """

    def __init__(self, which):
        backend = keras.backend.backend()
        self.names = [None]
        if which == "all":
            if backend not in ("jax", "tensorflow"):
                raise InputError(
                    f"'training.devices: all' does not work on {backend}: train on "
                    "JAX or TensorFlow, or with one device"
                )
            self.names = _names(backend)
        self._strategy = self._distribution = None
        if len(self) > 1 and backend == "tensorflow":
            self._strategy = _mirrored(self.names)
        elif len(self) > 1:
            self._distribution = keras.distribution.DataParallel(devices=self.names)

    def __len__(self):
        return len(self.names)

    def making(self):
        """The context in which a model and its optimizer are made."""
        return self._strategy.scope() if self._strategy else self.training()

    def training(self):
        """The context of `fit`."""
        return _distributed(self._distribution)

    def evaluating(self):
        """The context, inside that of `fit`, of what does not share rows out, so that
        batches may be of any size."""
        return _distributed(None)

    def rows(self, rows):
        """The rows that a batch of so many must be filled to: a multiple of the
        devices."""
        return -(-rows // len(self)) * len(self)


def _names(backend):
    if backend == "jax":
        return keras.distribution.list_devices()
    import tensorflow as tf

    found = tf.config.list_logical_devices("GPU")
    found = found or tf.config.list_logical_devices("CPU")
    return [each.name for each in found]


def _mirrored(names):
    import tensorflow as tf

    return tf.distribute.MirroredStrategy(names)


@contextlib.contextmanager
def _distributed(distribution):
    """Keras's distribution for a while; TensorFlow knows none of its own."""
    if keras.backend.backend() != "jax":
        yield
        return
    before = keras.distribution.distribution()
    keras.distribution.set_distribution(distribution)
    try:
        yield
    finally:
        keras.distribution.set_distribution(before)
