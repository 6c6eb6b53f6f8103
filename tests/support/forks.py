"""Functions in forked processes: nothing is imported again, and each may be killed.

The process that forks must not have started TensorFlow, whose threads a fork lacks.
"""

import importlib
import os
import signal
import sys
import tempfile
import time

PAUSE = 0.01  # seconds between two looks at a process
IMPORTED = (  # what commands import when they are called; nothing starts the backend
    "dsa.commands.main",
    "dsa.commands.train",
    "dsa.commands.export",
    "dsa.commands.push",
    "dsa.commands.sweep",
    "dsa.inference.loading",
    "dsa.models.bcnn.network",
    "dsa.models.dsa.encoder",
    "dsa.models.esim.network",
    "dsa.models.swem.word_pooling",
    "dsa.training.train",
    "nltk",
    "sklearn.linear_model",
    "sklearn.svm",
)


def import_commands():
    """Imports what commands need, before the first fork: each then starts at once."""
    for name in IMPORTED:
        importlib.import_module(name)


class Fork:
    """A function in a process of its own, the leader of a process group. What it writes
    is kept in files that have no name.

    Args:
        function: gives the exit code; `None` is 0.
        folder: its working directory; `None` for ours.
        output: a descriptor that gets both its outputs instead; `None` for none.
    """

    def __init__(self, function, folder=None, output=None):
        self.code, self._began = None, time.monotonic()
        self._files = [tempfile.TemporaryFile() for _ in range(2)]
        places = [output if output is not None else f.fileno() for f in self._files]
        self.pid = os.fork()
        if not self.pid:
            _be_the_child(function, folder, places)

    @property
    def seconds(self):
        """Since it began."""
        return time.monotonic() - self._began

    @property
    def output(self):
        """What it has written to standard output."""
        return _read(self._files[0])

    @property
    def errors(self):
        """What it has written to standard error."""
        return _read(self._files[1])

    def poll(self):
        """Its exit code, negative for a signal; `None` while it runs."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def wait(self, seconds=None):
        """Wait for its end, at most some seconds; returns as `poll`."""
        until = None if seconds is None else time.monotonic() + seconds
        while self.poll() is None and (until is None or time.monotonic() < until):
            time.sleep(PAUSE)
        return self.code

    def kill(self):
        """`kill -9`, and wait."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()

    def kill_all(self):
        """`kill -9` for all of its process group, and wait."""
        if self.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.wait()


def run_in_fork(function, patience, folder=None):
    """Call a function in a process of its own, for at most `patience` seconds.

    Returns: the `Fork`, which has ended.
    """
    fork = Fork(function, folder)
    if fork.wait(patience) is None:
        fork.kill_all()
    return fork


def _read(file):
    data = os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)
    return data.decode("utf-8", "replace")


def _be_the_child(function, folder, places):
    code = 1
    try:
        os.setpgid(0, 0)
        if folder is not None:
            os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number, descriptor in enumerate((nothing, *places)):
            os.dup2(descriptor, number)
        sys.stdin = open(0, closefd=False)
        sys.stdout = open(1, "w", buffering=1, closefd=False, errors="backslashreplace")
        sys.stderr = open(2, "w", buffering=1, closefd=False, errors="backslashreplace")
        code = function() or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
