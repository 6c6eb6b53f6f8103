"""Location of this package, for processes that import it."""

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def make_python_path() -> str:
    """Returns a `PYTHONPATH` that lets any process import this package."""
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [str(PACKAGE.parent), *map(os.path.abspath, inherited)]
    return os.pathsep.join(dict.fromkeys(paths))
