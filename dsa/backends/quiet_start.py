"""Starts TensorFlow with oneDNN and without its log lines.

TensorFlow writes to file descriptor 2, for example about missing CUDA libraries, before
a log level can be set. This module does not import a backend.
"""

import contextlib
import importlib.abc
import importlib.util
import os
import sys
import tempfile

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
    if not any(isinstance(finder, _QuietFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _QuietFinder())


def switch_on_onednn() -> None:
    """Enables oneDNN for TensorFlow, unless `TF_ENABLE_ONEDNN_OPTS` is set.

    By default, TensorFlow disables oneDNN on processors without AVX-512, where training
    is then about half as fast.
    """
    if "tensorflow" not in sys.modules:
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")


class _QuietFinder(importlib.abc.MetaPathFinder):
    """Import hook that hides the log lines of TensorFlow during its first import."""

    def find_spec(self, name, path=None, target=None):
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                announce("starting TensorFlow")
                with _hidden_standard_error():
                    load(module)
                    module.config.list_physical_devices()  # writes further lines

            spec.loader.exec_module = exec_module
        return spec


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
