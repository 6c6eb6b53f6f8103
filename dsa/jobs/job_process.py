"""One command of ours in a process of its own.

A process gives its memory back, and a crash harms no other. It ends with the one
that started it, however that happens: its first act is `die_with_parent`, so this
module imports little.
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

DONE, FAILED, KILLED, BUSY, INTERRUPTED = "done failed killed busy interrupted".split()
SECONDS_TO_END = 5  # for a process that is told to end
PARENT = "DSA_PARENT"  # the variable with the number of the process that must live
PR_SET_PDEATHSIG = 1  # of Linux's prctl
LAST_BYTES = 4096  # of a log, in which its last line is looked for
THREADS = (  # variables that say how many threads a process computes with
    "OMP_NUM_THREADS",  # PyTorch, oneDNN, and most linear algebra
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "NPROC",  # XLA's thread pool of a CPU: JAX
    "DSA_PROCESSES",
)


class Ending(NamedTuple):
    """How a job ended.

    Attributes:
        kind: `DONE`; `FAILED`, which will not change when it is run again; `KILLED` by
            a signal, or with its machine; `BUSY`, another process has its folder;
            `INTERRUPTED` by Ctrl-C.
        reason: one line; empty for `DONE`.
    """

    kind: str
    reason: str = ""


def die_with_parent() -> None:
    """Lets the kernel end this process when its parent ends, if `DSA_PARENT` names the
    parent. Does nothing on other systems than Linux, which have no such call."""
    parent = os.environ.pop(PARENT, "")  # not for children of this process
    if not parent or sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if str(os.getppid()) != parent:  # it has ended before that call
        os.kill(os.getpid(), signal.SIGKILL)


def count_cores() -> int:
    """Returns the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limit_threads(cores: int) -> dict[str, str]:
    """Returns the environment variables that make a process compute with as many
    threads as `cores`, without those that are set already."""
    return {name: str(cores) for name in THREADS if name not in os.environ}


def make_line(module: str, command: Sequence[str]) -> list[str]:
    """Returns the program that runs a module, and its arguments."""
    # -P: this package, whatever the working directory holds
    return [sys.executable, "-P", "-m", module, *command]


class JobProcess:
    """A running command.

    Args:
        module, command: those of a `Job`.
        log: the file that its output is appended to; `None` for where ours goes.
        variables: environment variables beside ours.
        folder: its working directory; `None` for ours.
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
        """Returns the `Ending`; `None` while it runs."""
        code = self._process.poll()
        return None if code is None else self._describe(code)

    def wait(self) -> Ending:
        """Waits for the end and returns it."""
        return self._describe(self._process.wait())

    def interrupt(self) -> None:
        """Tells the process to end, as Ctrl-C does. `end` waits for that."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end(self, deadline: float) -> None:
        """Waits until a time of `time.monotonic`, then kills the process."""
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
            return Ending(BUSY, line or f"{name}: another process is at work there")
        where = f"see {self._log}" if self._log else "see above"
        reason = f"{name} stopped with exit code {code}, {where}"
        return Ending(FAILED, f"{reason}: {line}" if line else reason)


def read_last_line(path: str | os.PathLike, begin: int = 0) -> str:
    """Returns the last line of a file, after byte `begin`, that is not blank; "" for
    none. Bytes that are no UTF-8 and control characters are escaped."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(begin, size - LAST_BYTES))
        text = file.read().decode(errors="replace")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    from dsa.system.terminal import escape_controls  # logging takes a while

    return escape_controls(lines[-1].removeprefix("error: ")) if lines else ""


def _name_signal(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
