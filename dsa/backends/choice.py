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


def choose_backend() -> str:
    """Returns the name of the backend that Keras will use."""
    return _read_choice()[0]


def check_backend() -> None:
    """Checks that the backend is supported and installed.

    Raises: `InputError` with the supported backends, or with the extra to install.
    """
    name, source = _read_choice()
    if name not in BACKENDS:
        raise InputError(
            f"{source}: unknown backend {name[:40]!r}. Known: {', '.join(BACKENDS)}"
        )
    if importlib.machinery.PathFinder.find_spec(name) is None:
        raise InputError(
            f"{source}: the backend '{name}' is not installed. "
            f"{format_install_command(name)} installs it"
        )


def choose_tensorflow() -> str | None:
    """Selects TensorFlow in this process. Call it before Keras is imported.

    Returns: the name of the overridden backend; `None` if no backend is overridden.
    """
    name, _ = _read_choice()
    if name == "tensorflow" or "keras" in sys.modules:
        return None
    os.environ["KERAS_BACKEND"] = "tensorflow"
    return name


def _read_choice():
    """Returns the name of Keras's backend and the variable or file that sets it."""
    if os.environ.get("KERAS_BACKEND"):
        return os.environ["KERAS_BACKEND"], "KERAS_BACKEND"
    home = Path(os.environ.get("KERAS_HOME") or os.path.expanduser("~/.keras"))
    try:
        settings = json.loads((home / "keras.json").read_text(encoding="utf-8"))
        return str(settings["backend"]), str(home / "keras.json")
    except (OSError, ValueError, KeyError, TypeError):
        return "tensorflow", "KERAS_BACKEND"  # Keras's default


class _CheckingFinder(importlib.abc.MetaPathFinder):
    """Import hook that calls `check_backend` before the import of Keras."""

    def find_spec(self, name, path=None, target=None):
        if name == "keras":
            check_backend()
            # A new list: Python iterates over the old one, and would skip a finder.
            sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
        return None  # let the other finders import the module
