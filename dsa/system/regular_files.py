"""Files are opened only if they are files: a reader of a named pipe waits for ever."""

import os
import stat

from dsa.errors import InputError

WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)  # for the writer of a named pipe


def open_regular(path):
    """Open a file to read its bytes, as `open(path, "rb")` does.

    Raises: `InputError` for a named pipe or a device, `OSError` as `open`.
    """
    return open(path, "rb", opener=_open_without_waiting)


def check_regular(path):
    """Raises an error for a file that is not regular, before a library opens it by its
    name.

    Raises: `InputError` as `open_regular`; nothing for a file that is not there.
    """
    if os.path.exists(path):
        _check_kind(os.stat(path), path)


def _open_without_waiting(path, flags):
    descriptor = os.open(path, flags | WITHOUT_WAITING)
    try:
        _check_kind(os.fstat(descriptor), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_kind(facts, path):
    """A folder passes: `open` refuses it."""
    if not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode)):
        raise InputError(
            f"{path}: a named pipe, a socket or a device, and no regular file"
        )
