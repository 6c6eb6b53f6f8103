"""Runs commands in forks of a server process that has imported Keras and this package.

A start takes 0.1 s instead of 6 s.

    run_forked("tests.support.interrupted_training", ["never", "-", ...])

The first call starts the server, which ends with the calling process.
"""

import atexit
import contextlib
import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from dsa.system.atomic_files import write_atomically
from tests.support.forks import PAUSE, Fork, import_commands


def run_forked(module, arguments):
    """Calls `main(*arguments)` of a module in a forked process.

    The working directory and the environment are the same as in this process.

    Returns: the exit code, negative for a signal, and the standard error.
    """
    return _start_server().run(module, arguments)


@functools.cache
def _start_server():
    return _Server()


class _Server:
    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.fork_server"],
            env={**os.environ, "PYTHONPATH": "."},
            stdin=subprocess.PIPE,
            text=True,
        )
        self._lock = threading.Lock()
        atexit.register(self._end)

    def run(self, module, arguments):
        with tempfile.TemporaryDirectory() as folder:
            answer = Path(folder, "answer")
            request = {
                "module": module,
                "arguments": [str(argument) for argument in arguments],
                "folder": os.getcwd(),
                "environment": dict(os.environ),
                "answer": str(answer),
            }
            with self._lock:
                self._process.stdin.write(json.dumps(request) + "\n")
                self._process.stdin.flush()
            while not answer.exists():
                assert self._process.poll() is None
                time.sleep(PAUSE)
            return tuple(json.loads(answer.read_text()))

    def _end(self):
        self._process.stdin.close()
        self._process.wait()


def main():
    import_commands()
    for line in sys.stdin:
        if not os.fork():  # the child waits for the command
            _answer(json.loads(line))
            os._exit(0)
        with contextlib.suppress(ChildProcessError):  # no child
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _answer(request):
    os.environ.clear()
    os.environ.update(request["environment"])

    def call():
        module = importlib.import_module(request["module"])
        return module.main(*request["arguments"])

    fork = Fork(call, request["folder"])
    write_atomically(request["answer"], json.dumps([fork.wait(), fork.errors]))


if __name__ == "__main__":
    main()
