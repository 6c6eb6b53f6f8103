"""Versions, backend and device, recorded with each measurement."""

import os
import sys
from typing import Any

import keras

from dsa.backends.devices import device
from dsa.backends.matmul_precision import read_matmul_precision
from dsa.system import environment
from dsa.version import __version__


def describe() -> dict[str, Any]:
    """Returns versions, backend, device and commit, as a dictionary for JSON."""
    backend = keras.backend.backend()
    onednn = {}
    if backend == "tensorflow":  # oneDNN changes the last digits
        onednn["onednn"] = os.environ.get("TF_ENABLE_ONEDNN_OPTS")
    return {
        "dsa": __version__,
        **environment.commit(),
        "keras": keras.__version__,
        "backend": backend,
        "backend_version": sys.modules[backend].__version__,
        **onednn,
        "matmul_precision": read_matmul_precision(),
        "device": device(),
        **environment.machine(),
    }
