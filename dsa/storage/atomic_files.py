"""Files that are either whole or not there."""

import os
from pathlib import Path


def write_atomically(path, content, room=0):
    """Write a file under a temporary name beside it, then rename it.

    Whatever happens on the way (a full disk, Ctrl-C, `kill -9`), `path` holds its old
    content or all of the new one.

    Args:
        path: the file.
        content: bytes or text, or a function that writes to the path it is given (a
            file of the same suffix).
        room: bytes that must be free, where a function writes: HDF5 does not survive a
            disk that fills up under it.
    """
    path = Path(path)
    temporary = path.with_name(f"tmp.{path.name}")
    try:
        if callable(content):
            _claim(temporary, room)
            content(temporary)
        else:
            data = content.encode() if isinstance(content, str) else content
            temporary.write_bytes(data)
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _claim(path, room):
    """Raise `OSError` now if a file of so many bytes cannot be written."""
    if room and hasattr(os, "posix_fallocate"):
        with open(path, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, room)
