"""Subprocess that runs a command of this package.

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

from dsa.errors import INTERRUPTED_CODE, BusyError
from dsa.system.python_path import make_python_path

# values of `Outcome.kind`
DONE = "done"
FAILED = "failed"
KILLED = "killed"
BUSY = "busy"
INTERRUPTED = "interrupted"
STOP_TIMEOUT = 5  # seconds to wait after SIGINT before SIGKILL
PARENT_VARIABLE = "DSA_PARENT"  # its value is the process id of the parent
PR_SET_PDEATHSIG = 1  # option of prctl on Linux
TAIL_BYTES = 4096  # size of the end of a log in which the last line is searched
THREAD_VARIABLES = (  # environment variables that set the number of threads
    "OMP_NUM_THREADS",  # PyTorch, oneDNN, and most linear algebra
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "NPROC",  # thread pool of XLA on a CPU, used by JAX
    "DSA_PROCESSES",
)


class Outcome(NamedTuple):
    """Outcome of a job process.

    Attributes:
        kind: `DONE`; `FAILED`, which is not retried; `KILLED` by a signal or a machine
            failure, which is retried; `BUSY` if another process has locked the folder;
            `INTERRUPTED` by Ctrl-C.
        reason: reason as one line of text; empty for `DONE`.
    """

    kind: str
    reason: str = ""


def die_with_parent() -> None:
    """Configures the kernel to kill this process when the thread that started it ends.

    The environment variable `DSA_PARENT` contains the process id of the parent. Does
    nothing without this variable or on systems other than Linux.
    """
    # removed from the environment, so that children do not inherit it
    parent = os.environ.pop(PARENT_VARIABLE, "")
    if not parent or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if str(os.getppid()) != parent:  # the parent ended before the call
        os.kill(os.getpid(), signal.SIGKILL)


def count_cores() -> int:
    """Returns the number of cores available to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_thread_variables(cores: int) -> dict[str, str]:
    """Returns environment variables that limit the number of threads of a process.

    Variables that are set in this process are omitted, so the job inherits them.
    """
    return {name: str(cores) for name in THREAD_VARIABLES if name not in os.environ}


def make_command_line(module: str, command: Sequence[str]) -> list[str]:
    """Returns the command line that runs a module."""
    # -P excludes the working directory from the import path
    return [sys.executable, "-P", "-m", module, *command]


class JobProcess:
    """A subprocess that runs a job.

    Args:
        module, command: see `Job`.
        log: path of the log file, to which standard output and standard error are
            appended; `None` to print them on the terminal of this process.
        env: additional environment variables.
        cwd: working directory; `None` for the current directory.
    """

    def __init__(
        self,
        module: str,
        command: Sequence[str],
        log: str | os.PathLike | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike | None = None,
    ):
        self._log = log
        self._log_start = 0  # byte offset of the output of this process in the log
        self._name = " ".join([module.replace("dsa.commands", "dsa"), *command[:1]])
        environment = {
            **os.environ,
            **(env or {}),
            "PYTHONPATH": make_python_path(),
            PARENT_VARIABLE: str(os.getpid()),
        }
        line = make_command_line(module, command)
        if log is None:
            self._process = subprocess.Popen(line, env=environment, cwd=cwd)
            return
        with open(log, "ab") as file:
            file.write(f"$ {shlex.join(line)}\n".encode(errors="replace"))
            file.flush()
            self._log_start = file.tell()
            self._process = subprocess.Popen(
                line,
                env=environment,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    def poll(self) -> Outcome | None:
        """Returns the `Outcome`, or `None` while the process runs."""
        code = self._process.poll()
        if code is None:
            return None
        return self._make_outcome(code)

    def wait(self) -> Outcome:
        """Waits until the process ends and returns its `Outcome`."""
        return self._make_outcome(self._process.wait())

    def interrupt(self) -> None:
        """Sends SIGINT without waiting for the process to end."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def wait_or_kill(self, deadline: float) -> None:
        """Waits until the process ends, and kills it at the deadline.

        Args:
            deadline: latest end of the process, in seconds of `time.monotonic`.
        """
        try:
            self._process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _make_outcome(self, code):
        """Returns the `Outcome` of an exit code. Signal n has the exit code -n."""
        name = self._name
        if code == 0:
            return Outcome(DONE)
        if code in (INTERRUPTED_CODE, -signal.SIGINT):
            return Outcome(INTERRUPTED, f"{name} was interrupted")
        if code < 0:
            return Outcome(KILLED, f"{name} was ended by {_get_signal_name(-code)}")
        line = ""
        if self._log is not None:
            line = read_last_line(self._log, self._log_start)
        if code == BusyError.exit_code:
            return Outcome(
                BUSY, line or f"{name}: another process is writing to the folder"
            )
        output = f"see {self._log}" if self._log else "see above"
        reason = f"{name} stopped with exit code {code} ({output})"
        return Outcome(FAILED, f"{reason}: {line}" if line else reason)


def read_last_line(path: str | os.PathLike, begin: int = 0) -> str:
    """Returns the last nonblank line of a log, or "" if all lines are blank.

    The prefix "error: " is removed, control characters are escaped, and invalid UTF-8
    is replaced. Only the last 4,096 bytes are read.

    Args:
        path: path of the log.
        begin: byte offset at which the search begins.
    """
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(begin, size - TAIL_BYTES))
        text = file.read().decode(errors="replace")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    from dsa.system.terminal import escape_controls  # imports logging

    if not lines:
        return ""
    return escape_controls(lines[-1].removeprefix("error: "))


def _get_signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
