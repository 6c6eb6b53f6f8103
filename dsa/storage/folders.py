"""Where data and what can be made again are kept."""

import os
from pathlib import Path

import pooch


def data_root(argument=None):
    """The folder that corpus paths are relative to: argument, `DSA_DATA`, `data`."""
    return Path(argument or os.environ.get("DSA_DATA") or "data")


def cache_folder():
    """Where what can be made again is kept: `DSA_CACHE`, else the user's folder."""
    return Path(os.environ.get("DSA_CACHE") or pooch.os_cache("dsa"))
