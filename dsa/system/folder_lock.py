"""Exclusive lock on a folder, for processes that write to it.

The lock is an exclusive `flock` on a file in the folder. The kernel releases it when
the process ends. Processes that only read need no lock.
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

LOCK_FILE = ".dsa-lock"
TRAINING, EVALUATION, BULK = "training", "evaluation", "bulk work"  # lock purposes
PUBLISHING = "publishing"
LONG_WORK = (TRAINING, BULK)  # long-running work: other processes do not wait
TIMEOUT = 60  # seconds, for locks with other purposes
PAUSE = 0.05  # seconds between two attempts
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # `flock` unsupported
log = logging.getLogger(__name__)
_owners = {}  # locked folder -> (process id, thread id)


@contextlib.contextmanager
def lock_folder(folder: Path | str, work: str) -> Iterator[None]:
    """Holds the lock of a folder inside the context.

    Waits up to 60 seconds for another process that holds the lock, unless its purpose
    is long-running work (`LONG_WORK`). The lock is reentrant within a thread.

    Args:
        folder: the folder.
        work: purpose of the lock, such as `TRAINING`.

    Raises: `BusyError` if the lock is held by another process or thread; `InputError`
        if the lock file is a link or not a regular file.
    """
    key = os.path.realpath(folder)
    owner = (os.getpid(), threading.get_ident())
    if _owners.get(key) == owner:
        yield
        return
    path = Path(folder, LOCK_FILE)
    descriptor = _acquire(path, work)
    _owners[key] = owner
    try:
        yield
    finally:
        del _owners[key]
        with contextlib.suppress(OSError):
            path.unlink()  # before the lock is released; `_acquire` detects the removal
        with contextlib.suppress(OSError):  # the descriptor is closed despite an error
            os.close(descriptor)


@contextlib.contextmanager
def hold_folder(folder: Path | str, work: str) -> Iterator[None]:
    """Holds the lock of a folder inside the context, creating a missing folder.

    A folder created here is removed at the end of the context if it is empty.

    Raises: the errors of `lock_folder`, and `InputError` if the path is a file.
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} already exists and is not overwritten")
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
    """Returns the `_Holder` in a lock file, or `None` if the content is invalid."""
    try:
        holder = _Holder(**json.loads(os.pread(descriptor, 4096, 0)))
    except (ValueError, TypeError):
        return None
    if not all(str(value).isprintable() for value in holder):
        return None
    return holder


def _write_holder(descriptor, work):
    """Writes this process to a lock file."""
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    holder = _Holder(work, os.getpid(), socket.gethostname(), since)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(holder._asdict()).encode(), 0)


def _acquire(path, work):
    """Opens and locks a file, and returns its descriptor.

    Raises: `BusyError` if another process holds the lock for long-running work or until
        the time limit.
    """
    holder = None
    deadline = time.monotonic() + TIMEOUT
    while True:
        descriptor = _open(path)
        if _try_lock(descriptor, path):
            if _refers_to(descriptor, path):
                try:
                    with name_errors(path):
                        _write_holder(descriptor, work)
                except BaseException:  # such as a full disk
                    os.close(descriptor)
                    raise
                return descriptor
            os.close(descriptor)  # the previous holder has removed the file
            continue
        previous_holder = holder
        holder = _read_holder(descriptor)
        os.close(descriptor)
        # requires two equal reads: a new holder writes the file after it has locked it
        is_long = (
            holder is not None
            and holder.work in LONG_WORK
            and holder == previous_holder
        )
        if is_long or time.monotonic() > deadline:
            raise BusyError(_describe_holder(path.parent, holder))
        time.sleep(PAUSE)


def _open(path):
    """Opens a lock file, which is created if it is missing. Returns its descriptor."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputError(f"{path}: expected a file. Received: a link") from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(
            f"{path}: expected a file. Received: a folder, a pipe or a device"
        )
    return descriptor


def _try_lock(descriptor, path):
    """Tries to lock a file without waiting. Returns whether the file is locked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            os.close(descriptor)
            raise
        log.warning(
            "%s: this file system does not support locks. Do not start a second "
            "process that writes to this folder",
            path.parent,
        )
    return True


def _refers_to(descriptor, path):
    """Returns whether a descriptor refers to the file at a path."""
    try:
        status = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), status)


def _describe_holder(folder, holder):
    """Returns the message of a `BusyError`."""
    if holder is None:
        return f"{folder}: another process is writing to it"
    return (
        f"{folder}: process {holder.process} on {holder.host} is writing to it "
        f"({holder.work}, since {holder.since}). Wait until it ends, or stop it"
    )
