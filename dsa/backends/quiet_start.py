"""Starts TensorFlow with oneDNN and without its log lines.

TensorFlow writes to file descriptor 2, for example about missing CUDA libraries, before
a log level can be set. This module does not import a backend.
"""

import contextlib
import os
import sys
import tempfile

from dsa.backends.import_hook import on_first_import
from dsa.system.folders import cache_folder
from dsa.system.terminal import announce


def prepare_tensorflow() -> None:
    """Prepares the import of TensorFlow: with oneDNN, and without log lines.

    The log lines appear if `DSA_LOG` is `debug`. It is a no-op after TensorFlow has
    been imported.
    """
    switch_on_onednn()
    if os.path.expanduser("~") == "~":  # Keras would create a folder of this name
        os.environ.setdefault("KERAS_HOME", str(cache_folder() / "keras"))
    if os.environ.get("DSA_LOG") == "debug" or "tensorflow" in sys.modules:
        return
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    on_first_import("tensorflow", _starting_quietly)


def switch_on_onednn() -> None:
    """Enables oneDNN for TensorFlow, unless `TF_ENABLE_ONEDNN_OPTS` is set.

    By default, TensorFlow disables oneDNN on processors without AVX-512, where training
    is then about half as fast.
    """
    if "tensorflow" not in sys.modules:
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")


@contextlib.contextmanager
def _starting_quietly(tensorflow):
    """Announces the import of TensorFlow, and hides its log lines."""
    announce("starting TensorFlow")
    with _hidden_standard_error():
        yield
        tensorflow.config.list_physical_devices()  # writes further lines


@contextlib.contextmanager
def _hidden_standard_error():
    """Hides the output to file descriptor 2, and prints it after an exception."""
    if sys.stderr is None:  # closed
        yield
        return
    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as hidden:
        os.dup2(hidden.fileno(), 2)
        try:
            yield
        except Exception:
            hidden.seek(0)
            os.write(real, hidden.read())
            raise
        finally:
            os.dup2(real, 2)
            os.close(real)
