"""Imports Keras without scikit-learn and matplotlib, which takes a second less.

Keras imports both if they are installed, for `keras.wrappers` and `keras.visualization`
only. This module does not import a backend.
"""

import contextlib
import importlib
import importlib.abc
import sys
import threading

from dsa.backends.import_hook import on_first_import
from dsa.backends.quiet_start import prepare_tensorflow

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
