"""Import of Keras and TensorFlow: faster, and without the log lines of TensorFlow.

If scikit-learn and matplotlib are installed, Keras imports both packages for
`keras.wrappers` and `keras.visualization`. Without them, the import takes a second
less. Before a log level can be set, TensorFlow writes to file descriptor 2, for example
about missing CUDA libraries. This module does not import a backend.
"""

import contextlib
import importlib
import importlib.abc
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import ModuleType

from dsa.system.folders import get_cache_folder
from dsa.system.terminal import announce

HIDDEN_PACKAGES = ("sklearn", "matplotlib")
# packages of Keras that import `HIDDEN_PACKAGES`
DEPENDENT = ("wrappers", "visualization")


def prepare_keras() -> None:
    """Installs import hooks for Keras: no scikit-learn, matplotlib and log lines.

    `keras.wrappers` and `keras.visualization` are imported on first use. Does nothing
    if Keras has been imported. Packages that have been imported are not hidden.
    """
    prepare_tensorflow()
    wrap_first_import("keras", _hiding_packages)


@contextlib.contextmanager
def _hiding_packages(keras):
    """Context manager that hides `HIDDEN_PACKAGES` during the import of Keras."""
    hiding = _HidingFinder()
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)
    if hiding.hidden:
        _import_on_first_use(keras)


class _HidingFinder(importlib.abc.MetaPathFinder):
    """Import hook that raises `ModuleNotFoundError` for packages, in one thread."""

    def __init__(self):
        self.hidden = {name for name in HIDDEN_PACKAGES if name not in sys.modules}
        self._thread = threading.get_ident()

    def find_spec(self, name, path=None, target=None):
        is_importing_keras = threading.get_ident() == self._thread
        if is_importing_keras and name.partition(".")[0] in self.hidden:
            raise ModuleNotFoundError(f"{name} is hidden from Keras", name=name)
        return None


def _import_on_first_use(keras):
    """Removes the packages `DEPENDENT` from Keras and imports them on first use."""
    for package in DEPENDENT:
        for prefix in (f"keras.{package}.", f"keras.src.{package}."):
            for module_name in list(sys.modules):
                if f"{module_name}.".startswith(prefix):
                    del sys.modules[module_name]
        vars(keras).pop(package, None)

    def get_attribute(name):
        if name in DEPENDENT:
            return importlib.import_module(f"keras.{name}")
        raise AttributeError(f"module 'keras' has no attribute '{name}'")

    keras.__getattr__ = get_attribute


def prepare_tensorflow() -> None:
    """Enables oneDNN and hides the log lines of the import of TensorFlow.

    The log lines are shown if `DSA_LOG` is `debug` or TensorFlow has been imported.
    """
    switch_on_onednn()
    if os.path.expanduser("~") == "~":  # without a home, Keras creates a folder "~"
        os.environ.setdefault("KERAS_HOME", str(get_cache_folder() / "keras"))
    if os.environ.get("DSA_LOG") == "debug" or "tensorflow" in sys.modules:
        return
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    wrap_first_import("tensorflow", _starting_quietly)


def switch_on_onednn() -> None:
    """Enables oneDNN for TensorFlow, unless `TF_ENABLE_ONEDNN_OPTS` is set.

    By default, TensorFlow disables oneDNN on processors without AVX-512, where training
    is then about half as fast.
    """
    if "tensorflow" not in sys.modules:
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")


@contextlib.contextmanager
def _starting_quietly(tensorflow):
    """Context manager that announces the import of TensorFlow and hides its log."""
    announce("starting TensorFlow")
    with hidden_standard_error():
        yield
        tensorflow.config.list_physical_devices()  # writes more log lines


@contextlib.contextmanager
def hidden_standard_error() -> Iterator[None]:
    """Context manager that hides output to file descriptor 2. The output is printed
    after an exception."""
    if sys.stderr is None:  # file descriptor 2 is closed
        yield
        return
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as hidden:
        os.dup2(hidden.fileno(), 2)
        try:
            yield
        except Exception:
            hidden.seek(0)
            os.write(saved, hidden.read())
            raise
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def wrap_first_import(
    name: str, context: Callable[[ModuleType], AbstractContextManager[None]]
) -> None:
    """Installs an import hook that executes a package within a context.

    Does nothing if the package has been imported or already has a hook.

    Args:
        name: name of the package.
        context: function that maps the module, before its execution, to a context
            manager.
    """
    hooks = [finder for finder in sys.meta_path if isinstance(finder, _FirstImport)]
    if name not in sys.modules and not any(hook.name == name for hook in hooks):
        sys.meta_path.insert(0, _FirstImport(name, context))


class _FirstImport(importlib.abc.MetaPathFinder):
    """Import hook of a package that removes itself at the first import."""

    def __init__(self, name, context):
        self.name = name
        self._context = context

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                with self._context(module):
                    load(module)

            spec.loader.exec_module = exec_module
        return spec
