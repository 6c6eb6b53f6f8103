"""What a number was measured with: versions, backend and device."""

import os
import sys

import keras

from dsa.system import environment
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
        **({"onednn": _onednn()} if backend == "tensorflow" else {}),
        "device": device(),
        **environment.machine(),
    }


def _onednn():
    """The variable that switches oneDNN on or off; it changes last digits."""
    return os.environ.get("TF_ENABLE_ONEDNN_OPTS")


def device():
    """The name of the GPU or TPU that Keras's backend uses; without one, "CPU" and the
    name of the processor."""
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


def peak_device_memory():
    """The most bytes that this process has held on a GPU or TPU; `None` where the
    backend does not tell, which is everywhere but on JAX."""
    if keras.backend.backend() != "jax":
        return None
    import jax

    statistics = jax.local_devices()[0].memory_stats() or {}
    return statistics.get("peak_bytes_in_use")
