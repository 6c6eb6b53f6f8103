"""Separate process for a command of this package.

On Linux, the process is killed when its parent ends. It calls `die_with_parent` before
any slow import, so this module has few imports.
"""

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dsa.errors import BusyError
from dsa.system.interrupts import EXIT_CODE
from dsa.system.python_path import make_python_path

# kinds of an `Ending`
DONE = "done"
FAILED = "failed"
KILLED = "killed"
BUSY = "busy"
INTERRUPTED = "interrupted"
SECONDS_TO_END = 5  # time for a process to end after a signal
PARENT = "DSA_PARENT"  # environment variable with the process id of the parent
PR_SET_PDEATHSIG = 1  # option of Linux's prctl
LAST_BYTES = 4096  # searched for the last line of a log
THREADS = (  # environment variables of the number of threads
    "OMP_NUM_THREADS",  # PyTorch, oneDNN, and most linear algebra
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "NPROC",  # XLA's thread pool of a CPU: JAX
    "DSA_PROCESSES",
)


class Ending(NamedTuple):
    """Outcome of a job process.

    Attributes:
        kind: `DONE`; `FAILED`, without a retry; `KILLED` by a signal or by a failure of
            the machine; `BUSY` if another process holds the lock of the folder;
            `INTERRUPTED` by Ctrl-C.
        reason: reason in one line; empty for `DONE`.
    """

    kind: str
    reason: str = ""


def die_with_parent() -> None:
    """Configures the kernel to kill this process when the thread that started it ends.

    The environment variable `DSA_PARENT` contains the process id of the parent. A no-op
    without this variable, and on systems other than Linux.
    """
    parent = os.environ.pop(PARENT, "")  # children of this process do not inherit it
    if not parent or sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if str(os.getppid()) != parent:  # the parent ended before the call
        os.kill(os.getpid(), signal.SIGKILL)


def count_cores() -> int:
    """Returns the number of cores available to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limit_threads(cores: int) -> dict[str, str]:
    """Returns environment variables that limit the number of threads.

    Variables that are already set are not included.
    """
    return {name: str(cores) for name in THREADS if name not in os.environ}


def make_line(module: str, command: Sequence[str]) -> list[str]:
    """Returns the command line that runs a module."""
    # -P excludes the working directory from the import path
    return [sys.executable, "-P", "-m", module, *command]


class JobProcess:
    """A running job process.

    Args:
        module, command: see `Job`.
        log: file to which the output is appended; `None` to inherit the output.
        variables: additional environment variables.
        folder: working directory; `None` for the current one.
    """

    def __init__(
        self,
        module: str,
        command: Sequence[str],
        log: str | os.PathLike | None = None,
        variables: Mapping[str, str] | None = None,
        folder: str | os.PathLike | None = None,
    ):
        self._log = log
        self._name = " ".join([module.replace("dsa.commands", "dsa"), *command[:1]])
        environment = {
            **os.environ,
            **(variables or {}),
            "PYTHONPATH": make_python_path(),
            PARENT: str(os.getpid()),
        }
        line = make_line(module, command)
        if log is None:
            self._process = subprocess.Popen(line, env=environment, cwd=folder)
            return
        with open(log, "ab") as file:
            file.write(f"$ {shlex.join(line)}\n".encode(errors="replace"))
            file.flush()
            self._begin = file.tell()
            self._process = subprocess.Popen(
                line,
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    def poll(self) -> Ending | None:
        """Returns the `Ending`, or `None` while the process runs."""
        code = self._process.poll()
        return None if code is None else self._describe(code)

    def wait(self) -> Ending:
        """Waits for the end of the process and returns its `Ending`."""
        return self._describe(self._process.wait())

    def interrupt(self) -> None:
        """Sends the signal of Ctrl-C, without waiting for the end of the process."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end(self, deadline: float) -> None:
        """Waits for the end of the process, and kills the process at a deadline.

        Args:
            deadline: time of `time.monotonic`.
        """
        try:
            self._process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _describe(self, code):
        name = self._name
        if code == 0:
            return Ending(DONE)
        if code in (EXIT_CODE, -signal.SIGINT):
            return Ending(INTERRUPTED, f"{name} was interrupted")
        if code < 0:
            return Ending(KILLED, f"{name} was ended by {_name_signal(-code)}")
        line = "" if self._log is None else read_last_line(self._log, self._begin)
        if code == BusyError.exit_code:
            return Ending(
                BUSY, line or f"{name}: another process is writing to the folder"
            )
        output = f"see {self._log}" if self._log else "see above"
        reason = f"{name} stopped with exit code {code}, {output}"
        return Ending(FAILED, f"{reason}: {line}" if line else reason)


def read_last_line(path: str | os.PathLike, begin: int = 0) -> str:
    """Returns the last nonblank line of a log, or "" for a blank log.

    The prefix "error: " is removed. Control characters are escaped, and bytes that are
    not UTF-8 are replaced. Only the last 4,096 bytes are read.

    Args:
        path: path of the log.
        begin: number of bytes at the beginning to ignore.
    """
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(begin, size - LAST_BYTES))
        text = file.read().decode(errors="replace")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    from dsa.system.terminal import escape_controls  # imports logging

    return escape_controls(lines[-1].removeprefix("error: ")) if lines else ""


def _name_signal(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
