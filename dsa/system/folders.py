"""Where data and caches are kept, and how a path is written."""

import os
from pathlib import Path

import pooch

from dsa.errors import InputError


def data_root(argument: Path | str | None = None) -> Path:
    """Returns the root of corpus paths: the argument, else `DSA_DATA`, else `data`.

    Raises: `InputError` for an empty argument.
    """
    if argument is not None and not str(argument):
        raise InputError("--data-root: the name of a folder is needed. Received: ''")
    return Path(argument or os.environ.get("DSA_DATA") or "data")


def cache_folder() -> Path:
    """Returns the folder of caches: `DSA_CACHE`, else the user's."""
    return Path(os.environ.get("DSA_CACHE") or pooch.os_cache("dsa"))


def find_checkout() -> Path:
    """Returns the folder with `configs/` and `results/`: its checkout, else the
    working directory."""
    checkout = Path(__file__).resolve().parents[2]
    return checkout if (checkout / "configs").is_dir() else Path.cwd()


def write_name(path: Path | str) -> str:
    """Returns a path as text; bytes that are no UTF-8 become `\\xff` and the like.

    Example:
        >>> write_name("configs/a.yaml")
        'configs/a.yaml'
    """
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")
