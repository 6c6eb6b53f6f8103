"""Exclusive lock of a folder for one writing process.

The lock is an exclusive `flock` on a file in the folder. The kernel releases it when
the process ends. Readers need no lock.
"""

import contextlib
import errno
import fcntl
import json
import logging
import os
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dsa.errors import BusyError, InputError
from dsa.system.atomic_files import name_errors, removing_empty_folders

NAME = ".dsa-lock"
TRAINING, EVALUATION, BULK = "training", "evaluation", "bulk work"  # purposes
PUBLISHING = "publishing"
LONG = (TRAINING, BULK)  # other processes do not wait for these
SECONDS = 60  # maximum wait for short work
PAUSE = 0.05  # between two attempts
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # file systems
log = logging.getLogger(__name__)
_owners = {}  # of the locks of this process: folder -> process and thread


@contextlib.contextmanager
def lock_folder(folder: Path | str, work: str) -> Iterator[None]:
    """Holds the lock of a folder inside the context.

    Waits for other processes unless their work is long, such as a training. The lock is
    reentrant within a thread.

    Args:
        folder: the folder.
        work: purpose of the lock, such as `TRAINING`.

    Raises: `BusyError` that names the process with the lock.
    """
    key = os.path.realpath(folder)
    owner = (os.getpid(), threading.get_ident())
    if _owners.get(key) == owner:
        yield
        return
    path = Path(folder, NAME)
    descriptor = _acquire(path, work)
    _owners[key] = owner
    try:
        yield
    finally:
        del _owners[key]
        with contextlib.suppress(OSError):
            path.unlink()  # while the lock is held: `_acquire` checks this
        with contextlib.suppress(OSError):  # it is closed in any case
            os.close(descriptor)


@contextlib.contextmanager
def hold_folder(folder: Path | str, work: str) -> Iterator[None]:
    """Holds the lock of a folder inside the context. Creates a missing folder, and
    removes it if it is empty at the end.

    Raises: `BusyError` as `lock_folder`; `InputError` if a file has the folder's name.
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is there already and is not overwritten")
    with removing_empty_folders(path):
        path.mkdir(parents=True, exist_ok=True)
        with lock_folder(path, work):
            yield


class _Holder(NamedTuple):
    """Process that holds a lock."""

    work: str
    process: int
    host: str
    since: str


def _read_holder(descriptor):
    """Reads the holder from a lock file; `None` for other content."""
    try:
        holder = _Holder(**json.loads(os.pread(descriptor, 4096, 0)))
    except (ValueError, TypeError):
        return None
    return holder if all(str(value).isprintable() for value in holder) else None


def _write_holder(descriptor, work):
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    holder = _Holder(work, os.getpid(), socket.gethostname(), since)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(holder._asdict()).encode(), 0)


def _acquire(path, work):
    """Returns the descriptor of the locked file at a path."""
    holder, deadline = None, time.monotonic() + SECONDS
    while True:
        descriptor = _open(path)
        if _try_lock(descriptor, path):
            if _is_at(descriptor, path):
                try:
                    with name_errors(path):
                        _write_holder(descriptor, work)
                except BaseException:  # such as a full disk
                    os.close(descriptor)
                    raise
                return descriptor
            os.close(descriptor)  # the previous holder has removed the file
            continue
        seen, holder = holder, _read_holder(descriptor)
        os.close(descriptor)
        # read twice: a new holder may not have replaced the name of a dead one yet
        long = holder is not None and holder.work in LONG and holder == seen
        if long or time.monotonic() > deadline:
            raise BusyError(_describe(path.parent, holder))
        time.sleep(PAUSE)


def _open(path):
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputError(f"{path}: a link, which cannot be the lock") from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{path}: no regular file, which cannot be the lock")
    return descriptor


def _try_lock(descriptor, path):
    """Tries to lock a file without waiting; returns whether it succeeded."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            os.close(descriptor)
            raise
        log.warning(
            "%s: this file system has no locks; start no second process that writes "
            "into this folder",
            path.parent,
        )
    return True


def _is_at(descriptor, path):
    """Whether an open file is still the file at a path."""
    try:
        there = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), there)


def _describe(folder, holder):
    if holder is None:
        return f"{folder}: another process is writing into it"
    return (
        f"{folder}: process {holder.process} on {holder.host} is writing into it "
        f"({holder.work}, since {holder.since}). Wait for its end, or stop it"
    )
