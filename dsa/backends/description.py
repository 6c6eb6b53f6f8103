"""With what a number was measured: versions, backend and device."""

import sys

import keras

from dsa import environment
from dsa.version import __version__


def describe():
    """Versions, backend, device and commit, as a dictionary for JSON."""
    backend = keras.backend.backend()
    return {
        "dsa": __version__,
        **environment.commit(),
        "keras": keras.__version__,
        "backend": backend,
        "backend_version": sys.modules[backend].__version__,
        "device": device(),
        **environment.machine(),
    }


def device():
    """The name of the GPU or TPU that Keras's backend uses, or "CPU" and the
    processor's."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        gpus = tf.config.list_physical_devices("GPU")
        if gpus:
            return tf.config.experimental.get_device_details(gpus[0])["device_name"]
    elif backend == "jax":
        import jax

        if jax.default_backend() != "cpu":
            return jax.devices()[0].device_kind
    elif backend == "torch":
        import torch

        if torch.cuda.is_available():
            return torch.cuda.get_device_name()
    return f"CPU, {environment.processor()}"
