"""Commands in processes that are forked from one that has imported Keras and this
package: a start takes a tenth of a second, not six.

    run_forked("tests.support.interrupted_training", ["never", "-", ...])

The server is started at the first call of a process, and ends with it.
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
    """Call `main(*arguments)` of a module in a forked process, with the working
    directory and the environment of this one.

    Returns: the exit code, negative for a signal, and what it wrote to standard error.
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
        if not os.fork():  # it waits for the command, and answers
            _answer(json.loads(line))
            os._exit(0)
        with contextlib.suppress(ChildProcessError):  # there is none
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
