"""Where data and what can be made again are kept."""

import os
from pathlib import Path

import pooch

from dsa.errors import InputError


def data_root(argument=None):
    """The folder that corpus paths are relative to: argument, `DSA_DATA`, `data`.

    Raises: `InputError` for an empty argument.
    """
    if argument is not None and not str(argument):
        raise InputError("--data-root: the name of a folder is needed. Received: ''")
    return Path(argument or os.environ.get("DSA_DATA") or "data")


def cache_folder():
    """Where what can be made again is kept: `DSA_CACHE`, else the user's folder."""
    return Path(os.environ.get("DSA_CACHE") or pooch.os_cache("dsa"))


def find_checkout():
    """The folder with `configs/` and `results/`: that of this package, where it is
    used from a checkout, else the working directory."""
    checkout = Path(__file__).resolve().parents[2]
    return checkout if (checkout / "configs").is_dir() else Path.cwd()
