"""Checks that the backend of Keras is supported and installed.

Keras raises an error without a remedy. This module does not import a backend.
"""

import importlib.abc
import importlib.machinery
import json
import os
import sys
from pathlib import Path

from dsa.errors import InputError
from dsa.system.extras import format_install_command

BACKENDS = ("tensorflow", "jax", "torch")  # also the names of the extras


def check_backend_when_keras_is_imported() -> None:
    """Installs an import hook: the first import of Keras calls `check_backend`."""
    is_installed = any(isinstance(finder, _CheckingFinder) for finder in sys.meta_path)
    if "keras" not in sys.modules and not is_installed:
        sys.meta_path.insert(0, _CheckingFinder())


def get_backend_name() -> str:
    """Returns the name of the backend that Keras will use."""
    name, _ = _read_backend()
    return name


def check_backend() -> None:
    """Raises `InputError` if the backend is not supported or not installed.

    The message contains the supported backends, or the command that installs the
    backend.
    """
    name, source = _read_backend()
    if name not in BACKENDS:
        raise InputError(
            f"{source}: unknown backend {name[:40]!r}. Known: {', '.join(BACKENDS)}"
        )
    if importlib.machinery.PathFinder.find_spec(name) is None:
        raise InputError(
            f"{source}: the backend '{name}' is not installed. "
            f"To install it: {format_install_command(name)}"
        )


def select_tensorflow() -> str | None:
    """Selects TensorFlow in this process, unless Keras has been imported.

    Returns: the name of the replaced backend; `None` if the backend is unchanged.
    """
    name, _ = _read_backend()
    if name == "tensorflow" or "keras" in sys.modules:
        return None
    os.environ["KERAS_BACKEND"] = "tensorflow"
    return name


def _read_backend():
    """Returns the name of the backend, and the variable or file that sets it."""
    if os.environ.get("KERAS_BACKEND"):
        return os.environ["KERAS_BACKEND"], "KERAS_BACKEND"
    home = Path(os.environ.get("KERAS_HOME") or os.path.expanduser("~/.keras"))
    try:
        settings = json.loads((home / "keras.json").read_text(encoding="utf-8"))
        return str(settings["backend"]), str(home / "keras.json")
    except (OSError, ValueError, KeyError, TypeError):
        return "tensorflow", "KERAS_BACKEND"  # the default of Keras


class _CheckingFinder(importlib.abc.MetaPathFinder):
    """Import hook that calls `check_backend` before the import of Keras."""

    def find_spec(self, name, path=None, target=None):
        if name == "keras":
            check_backend()
            # a new list, because Python would skip a finder after a removal
            sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
        return None  # let the other finders import the module
