"""One command of ours in a process of its own.

The process ends with the one that started it. A process gives its memory back, and its
crash is nobody else's.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from dsa.errors import BusyError
from dsa.jobs.parent import VARIABLE
from dsa.system.interrupts import EXIT_CODE
from dsa.system.terminal import escape_controls

PACKAGE = Path(__file__).resolve().parents[1]
DONE, FAILED, KILLED, BUSY, INTERRUPTED = "done failed killed busy interrupted".split()
SECONDS_TO_END = 5  # for a process that is told to end
LAST_BYTES = 4096  # of a log, in which its last line is looked for


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


def make_line(module, command):
    """The program that runs a module, and its arguments."""
    # -P: this package, whatever the working directory holds
    return [sys.executable, "-P", "-m", module, *command]


def make_python_path():
    """`PYTHONPATH` of a process that is to have this package, from any folder."""
    ours = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [str(PACKAGE.parent), *map(os.path.abspath, ours)]
    return os.pathsep.join(dict.fromkeys(paths))


class JobProcess:
    """A command that runs.

    Args:
        module, command: those of a `Job`.
        log: the file that its output is appended to; `None` for where ours goes.
        variables: environment variables that it has beside ours.
        folder: its working directory; `None` for ours.
    """

    def __init__(self, module, command, log=None, variables=None, folder=None):
        self._log = log
        self._name = " ".join([module.replace("dsa.commands", "dsa"), *command[:1]])
        environment = {
            **os.environ,
            **(variables or {}),
            "PYTHONPATH": make_python_path(),
            VARIABLE: str(os.getpid()),
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

    def poll(self):
        """The `Ending`; `None` while it runs."""
        code = self._process.poll()
        return None if code is None else self._describe(code)

    def wait(self):
        """Wait for the end.

        Returns: the `Ending`.
        """
        return self._describe(self._process.wait())

    def interrupt(self):
        """Tell the process to end, as Ctrl-C does. `end` waits for that."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end(self, deadline):
        """Wait until a time of `time.monotonic`, then end the process."""
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


def read_last_line(path, begin=0):
    """The last line with words of a file, from a byte on, as far as it can be read."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(begin, size - LAST_BYTES))
        text = file.read().decode(errors="replace")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return escape_controls(lines[-1].removeprefix("error: ")) if lines else ""


def _name_signal(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
