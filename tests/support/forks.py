"""Runs functions in forked processes, without new imports.

The parent process must not have started TensorFlow: a fork lacks its threads.
"""

import importlib
import os
import signal
import sys
import tempfile
import time

PAUSE = 0.01  # seconds between two polls
IMPORTED = (  # imports of the commands; none of these starts the backend
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
    """Imports the modules of the commands, so that forks start quickly."""
    for name in IMPORTED:
        importlib.import_module(name)


class Fork:
    """A function in a forked process that leads a process group.

    Args:
        function: function that returns the exit code; `None` is 0.
        folder: working directory; `None` for the directory of the parent.
        output: file descriptor for standard output and error; `None` for temporary
            files.
    """

    def __init__(self, function, folder=None, output=None):
        self.code, self._began = None, time.monotonic()
        self._files = [tempfile.TemporaryFile() for _ in range(2)]
        descriptors = [
            output if output is not None else f.fileno() for f in self._files
        ]
        self.pid = os.fork()
        if not self.pid:
            _run_child(function, folder, descriptors)

    @property
    def seconds(self):
        """Seconds since the start."""
        return time.monotonic() - self._began

    @property
    def output(self):
        """Standard output so far."""
        return _read(self._files[0])

    @property
    def errors(self):
        """Standard error so far."""
        return _read(self._files[1])

    def poll(self):
        """Returns the exit code, negative for a signal; `None` while it runs."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def wait(self, seconds=None):
        """Waits for the end, at most some seconds; returns the result of `poll`."""
        until = None if seconds is None else time.monotonic() + seconds
        while self.poll() is None and (until is None or time.monotonic() < until):
            time.sleep(PAUSE)
        return self.code

    def kill(self):
        """Kills the process and waits for its end."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()

    def kill_all(self):
        """Kills the process group and waits for its end."""
        if self.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.wait()


def run_in_fork(function, patience, folder=None):
    """Calls a function in a forked process, for at most `patience` seconds.

    Returns: the ended `Fork`.
    """
    fork = Fork(function, folder)
    if fork.wait(patience) is None:
        fork.kill_all()
    return fork


def _read(file):
    data = os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)
    return data.decode("utf-8", "replace")


def _run_child(function, folder, descriptors):
    code = 1
    try:
        os.setpgid(0, 0)
        if folder is not None:
            os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number, descriptor in enumerate((nothing, *descriptors)):
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
