"""Python path for processes that import this package."""

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def make_python_path() -> str:
    """Returns a value of `PYTHONPATH` that makes this package importable."""
    paths = [str(PACKAGE.parent)]
    for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        if folder:
            paths.append(os.path.abspath(folder))
    return os.pathsep.join(dict.fromkeys(paths))
