"""Import of Keras and TensorFlow: faster, and without the log lines of TensorFlow.

Keras imports scikit-learn and matplotlib if they are installed, for `keras.wrappers`
and `keras.visualization` only. Without them, the import takes a second less.
TensorFlow writes to file descriptor 2, for example about missing CUDA libraries, before
a log level can be set. This module does not import a backend.
"""

import contextlib
import importlib
import importlib.abc
import os
import sys
import tempfile
import threading

from dsa.backends.import_hook import on_first_import
from dsa.system.folders import cache_folder
from dsa.system.terminal import announce

HIDDEN = ("sklearn", "matplotlib")
USERS = ("wrappers", "visualization")  # packages of Keras that import them


def prepare_keras() -> None:
    """Prepares the import of Keras: without scikit-learn, matplotlib and log lines.

    `keras.wrappers` and `keras.visualization` are imported on first use. It is a no-op
    after Keras has been imported; packages that have been imported are not hidden.
    """
    prepare_tensorflow()
    on_first_import("keras", _hiding_packages)


@contextlib.contextmanager
def _hiding_packages(keras):
    """Hides packages that have not been imported during the import of Keras."""
    hiding = _HidingFinder()
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)
    if hiding.hidden:
        _import_on_first_use(keras)


class _HidingFinder(importlib.abc.MetaPathFinder):
    """Import hook that makes packages appear as not installed, in one thread."""

    def __init__(self):
        self.hidden = {name for name in HIDDEN if name not in sys.modules}
        self._thread = threading.get_ident()

    def find_spec(self, name, path=None, target=None):
        is_importing_keras = threading.get_ident() == self._thread
        if is_importing_keras and name.partition(".")[0] in self.hidden:
            raise ModuleNotFoundError(f"{name} is hidden from Keras", name=name)
        return None


def _import_on_first_use(keras):
    """Removes the packages of Keras that were imported without the hidden ones."""
    for user in USERS:
        for package in (f"keras.{user}", f"keras.src.{user}"):
            for name in [n for n in sys.modules if f"{n}.".startswith(f"{package}.")]:
                del sys.modules[name]
        vars(keras).pop(user, None)

    def get_attribute(name):
        if name in USERS:
            return importlib.import_module(f"keras.{name}")
        raise AttributeError(f"module 'keras' has no attribute '{name}'")

    keras.__getattr__ = get_attribute


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
