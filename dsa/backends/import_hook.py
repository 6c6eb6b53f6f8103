"""Import hook that executes the first import of a package within a context."""

import importlib.abc
import importlib.util
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType


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
