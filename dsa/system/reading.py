"""Reading of regular files as text or JSON, and their SHA-256.

Named pipes are rejected, because reading them can block.
"""

import hashlib
import json
import os
import stat
import time
from io import BufferedReader
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically
from dsa.system.folders import get_cache_folder

# opens a named pipe without waiting for a writer
WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
# Modification times have a limited resolution, so a recently modified file can change
# without a new time. Its SHA-256 is not cached.
MIN_AGE = 2  # seconds


def open_regular(path: Path | str) -> BufferedReader:
    """Opens a regular file for reading, like `open(path, "rb")`.

    Raises: `InputError` if the path is a named pipe, a device or not a valid path, and
        the errors of `open`.
    """
    if "\0" in str(path):
        raise InputError(f"{path}: a path cannot contain the character NUL")
    return open(path, "rb", opener=_open_without_waiting)


def check_regular(path: Path | str) -> None:
    """Raises `InputError` if a path is a named pipe, a socket or a device.

    Call it before a library opens the path. Missing files and folders are accepted.
    """
    if os.path.exists(path):
        _check_type(os.stat(path), path)


def _open_without_waiting(path, flags):
    """Opener for `open`, which does not wait for the writer of a named pipe."""
    descriptor = os.open(path, flags | WITHOUT_WAITING)
    try:
        _check_type(os.fstat(descriptor), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_type(status, path):
    """Raises `InputError` for a pipe, a socket or a device. Folders are accepted,
    because `open` rejects them."""
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise InputError(
            f"{path}: expected a file. Received: a named pipe, a socket or a device"
        )


def read_text(path: Path | str) -> str:
    """Returns the text of a UTF-8 file with unchanged line endings.

    Raises: `InputError` if the file is not UTF-8, a pipe or a device, and the errors of
        `open`.
    """
    with open_regular(path) as file:
        content = file.read()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8: {error.reason}") from error


def read_json_object(path: Path | str) -> dict[str, Any]:
    """Returns the object in a JSON file, as a dictionary.

    Raises: the errors of `read_text`, and `InputError` if the content is not a JSON
        object.
    """
    try:
        content = json.loads(read_text(path))
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: not a JSON object")
    return content


def compute_sha256(path: Path | str) -> str:
    """Returns the SHA-256 of the bytes of a regular file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(path: Path | str) -> str:
    """Returns the SHA-256 of a file's bytes, as hexadecimal text.

    The digest is cached with the size and modification time of the file, unless the
    file was modified within the last two seconds.
    """
    path = Path(path).absolute()
    status = path.stat()
    name = hashlib.sha256(str(path).encode(errors="surrogateescape")).hexdigest()
    cached = get_cache_folder() / "fingerprints" / f"{name}.json"
    key = {"size": status.st_size, "modified": status.st_mtime_ns}
    digest = _read_cached_digest(cached, key)
    if digest is None:
        digest = compute_sha256(path)
        if time.time() - status.st_mtime > MIN_AGE:
            _write_cached_digest(cached, {**key, "sha256": digest})
    return digest


def _read_cached_digest(cached, key):
    """Returns the cached digest, or `None` if it has another key."""
    try:
        record = json.loads(cached.read_text(encoding="utf-8"))
        is_current = all(record[name] == value for name, value in key.items())
        return str(record["sha256"]) if is_current else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # missing or damaged


def _write_cached_digest(cached, record):
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(cached, json.dumps(record))
    except OSError:
        pass  # without a cache, the digest is recomputed
