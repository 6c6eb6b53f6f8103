"""How TensorFlow starts: with oneDNN, and without the lines that it writes then.

It writes the lines to the process's standard error before a level can be set: that CUDA
was not found, that its log was not ready yet. This module imports no backend.
"""

import contextlib
import importlib.abc
import importlib.util
import os
import sys
import tempfile

from dsa.system.terminal import announce


def prepare_tensorflow() -> None:
    """TensorFlow will start with oneDNN, and silently unless `DSA_LOG` is `debug`.

    Has no effect where TensorFlow has been imported already.
    """
    switch_on_onednn()
    if os.environ.get("DSA_LOG") == "debug" or "tensorflow" in sys.modules:
        return
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if not any(isinstance(finder, _QuietFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _QuietFinder())


def switch_on_onednn() -> None:
    """TensorFlow will start with oneDNN unless the user has set the variable.

    By itself TensorFlow leaves oneDNN off on processors that lack AVX-512, and trains
    about half as fast there.
    """
    if "tensorflow" not in sys.modules:
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")


class _QuietFinder(importlib.abc.MetaPathFinder):
    """Finds TensorFlow once, with a loader that hides what it writes."""

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
                    module.config.list_physical_devices()  # writes the rest

            spec.loader.exec_module = exec_module
        return spec


@contextlib.contextmanager
def _hidden_standard_error():
    """Keeps what is written to file descriptor 2; if the block fails, passes it on."""
    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        except Exception:
            kept.seek(0)
            os.write(real, kept.read())
            raise
        finally:
            os.dup2(real, 2)
            os.close(real)
