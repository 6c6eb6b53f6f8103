"""Data root, caches, bundled files, and paths as text."""

import functools
import logging
import os
import tempfile
from pathlib import Path

import platformdirs

from dsa.errors import InputError

log = logging.getLogger(__name__)


def data_root(argument: Path | str | None = None) -> Path:
    """Returns the data root: the argument, else `DSA_DATA`, else `data`.

    Raises: `InputError` if the argument is not a path.
    """
    if argument is not None:
        check_folder_name(argument, "data root")
    return Path(argument or os.environ.get("DSA_DATA") or "data")


def check_folder_name(name: Path | str, description: str) -> None:
    """Raises `InputError` if a value is not a path, or is an empty string.

    Args:
        name: the value.
        description: name of the argument, for the error message.
    """
    received = None
    if not isinstance(name, (str, os.PathLike)):
        received = type(name).__name__
    elif not str(name):
        received = "''"
    if received:
        raise InputError(
            f"{description}: expected the name of a folder. Received: {received}"
        )


def get_cache_folder() -> Path:
    """Returns the cache folder: `DSA_CACHE`, else the cache folder of the user.

    Without a home folder, as in some containers, a temporary folder is used. It is
    deleted at the end of the process.
    """
    if os.environ.get("DSA_CACHE"):
        return Path(os.environ["DSA_CACHE"])
    if os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~") != "~":
        return Path(platformdirs.user_cache_dir("dsa"))
    return Path(_make_temporary_cache().name)


@functools.cache
def _make_temporary_cache():
    log.warning(
        "there is no home folder, so the cache is a temporary folder. To keep it, set "
        "DSA_CACHE to a folder"
    )
    return tempfile.TemporaryDirectory(prefix="dsa-")


def find_bundled() -> Path:
    """Returns the folder that contains the bundled `configs/` and `data/mini/`.

    It is `bundled/` in an installed package, else the checkout.

    Raises: `InputError` if neither exists.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "bundled", package.parent):
        if (folder / "configs/mini").is_dir() and (folder / "data/mini").is_dir():
            return folder
    raise InputError(
        f"{package}: this installation of dsa lacks its configs and its bundled "
        "corpus. Reinstall it"
    )


def escape_name(path: Path | str) -> str:
    """Returns a path as text, with escaped bytes that are not UTF-8, such as `\\xff`.

    Example:
        >>> escape_name("configs/a.yaml")
        'configs/a.yaml'
    """
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")
