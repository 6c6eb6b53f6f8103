"""Python path for processes that import this package."""

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def make_python_path() -> str:
    """Returns a value of `PYTHONPATH` with which a process can import this package."""
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [str(PACKAGE.parent), *map(os.path.abspath, inherited)]
    return os.pathsep.join(dict.fromkeys(paths))
