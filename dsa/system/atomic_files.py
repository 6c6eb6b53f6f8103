"""Atomic writes of files and folders."""

import contextlib
import glob
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dsa.errors import InputError

RANDOM_BYTES = 4  # number of random bytes in a temporary name
# prefixes of a temporary name, which are repeated in nested writes
PREFIXES = rf"(?:tmp\.[0-9a-f]{{{2 * RANDOM_BYTES}}}\.)+"


def write_atomically(
    path: Path | str,
    content: bytes | memoryview | str | Callable[[Path], object],
    reserved_bytes: int = 0,
) -> None:
    """Writes a file under a temporary name beside it, then renames it.

    After a full disk, Ctrl-C or `kill -9`, the file has either its old or its new
    content. Each call uses a unique temporary name, so several processes can write one
    file. If `path` is a link, its target is replaced.

    Args:
        path: path of the file.
        content: bytes, text, or a function that writes to a given path, which has the
            same suffix.
        reserved_bytes: bytes to reserve on the disk before `content` is called, so that
            a full disk raises an error before the computation.

    Raises: `InputError` if `path` is a folder, a pipe or a device; `OSError` with the
        name of the file after a disk error, such as a full disk.
    """
    path = follow_link(path)
    _check_regular(path)
    with name_errors(path):
        temporary = _create(path)
        try:
            if callable(content):
                _reserve(temporary, reserved_bytes)
                content(temporary)
            else:
                data = content.encode() if isinstance(content, str) else content
                temporary.write_bytes(data)
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):  # report the first error
                temporary.unlink()
            raise


def follow_link(path: Path | str) -> Path:
    """Returns the target if a path is a link, or else the path itself."""
    path = Path(path)
    if path.is_symlink():
        return Path(os.path.realpath(path))
    return path


@contextlib.contextmanager
def name_errors(path: Path | str) -> Iterator[None]:
    """Adds a file name to each `OSError` raised in the context.

    The names of temporary files are replaced by the names of their targets.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        failed = Path(os.fsdecode(error.filename or path))
        name = re.sub(f"^{PREFIXES}", "", failed.name)
        raise OSError(
            error.errno, error.strerror, str(failed.with_name(name))
        ) from error


def find_temporary_files(path: Path | str) -> list[Path]:
    """Returns the temporary files of interrupted writes of a path."""
    path = Path(path)
    prefix = f"tmp.{'[0-9a-f]' * (2 * RANDOM_BYTES)}."
    name = glob.escape(path.name)
    patterns = (prefix + name, prefix + prefix + name)  # a nested write has both
    return sorted(file for pattern in patterns for file in path.parent.glob(pattern))


def remove_temporary(paths: Iterable[Path]) -> None:
    """Removes the temporary files and folders of interrupted writes of some paths.

    No process may be writing to the paths.
    """
    for path in paths:
        for temporary in find_temporary_files(path):
            if temporary.is_dir() and not temporary.is_symlink():
                shutil.rmtree(temporary)
            else:
                temporary.unlink(missing_ok=True)


def name_temporary(path: Path | str) -> Path:
    """Returns a path with a unique name in the same folder."""
    path = Path(path)
    return path.with_name(f"tmp.{secrets.token_hex(RANDOM_BYTES)}.{path.name}")


@contextlib.contextmanager
def create_folder(path: Path) -> Iterator[Path]:
    """Yields a temporary path at which the caller creates a folder.

    The folder is renamed to `path` at the end of the context, or removed after an
    error.
    """
    temporary = name_temporary(path)
    try:
        with name_errors(path):
            yield temporary
            temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _create(path):
    """Creates an empty temporary file beside a path, and returns its path."""
    while True:
        temporary = name_temporary(path)
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            break
    with contextlib.suppress(OSError):  # the file is empty
        os.close(descriptor)
    return temporary


def _check_regular(path):
    """Raises `InputError` if a path exists and is not a regular file."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return  # no file to replace
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{path}: expected a file. Received: a folder, a pipe or a device"
        )


def _reserve(path, size):
    """Reserves bytes on the disk, or raises `OSError` if the disk is full."""
    if size and hasattr(os, "posix_fallocate"):
        with open(path, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, size)


@contextlib.contextmanager
def removing_empty_folders(folder: Path) -> Iterator[None]:
    """Removes a folder and its parents at the end of the context if they are empty.

    Folders that existed before the context are kept.
    """
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # not empty, or missing
            for part in missing:
                part.rmdir()
