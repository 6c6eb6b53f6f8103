"""Description of the software and hardware, recorded with each measurement."""

import os
import sys
from typing import Any

import keras

from dsa.backends.devices import get_device_name, read_matmul_precision
from dsa.system import environment
from dsa.version import __version__


def describe_environment() -> dict[str, Any]:
    """Returns a dictionary of versions, backend, device and commit, for JSON."""
    backend = keras.backend.backend()
    description = {
        "dsa": __version__,
        **environment.describe_commit(),
        "keras": keras.__version__,
        "backend": backend,
        "backend_version": sys.modules[backend].__version__,
    }
    if backend == "tensorflow":  # oneDNN changes the last digits of results
        description["onednn"] = os.environ.get("TF_ENABLE_ONEDNN_OPTS")
    description["matmul_precision"] = read_matmul_precision()
    description["device"] = get_device_name()
    description.update(environment.describe_machine())
    return description
