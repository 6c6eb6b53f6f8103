"""Processes with a deadline."""

import os
import signal
import subprocess
import time

from dsa.jobs.local import LocalExecutor

SECONDS_TO_END = 10  # after SIGINT


class TimeIsUp(Exception):
    """The deadline passed before the work was finished."""


class BoundedExecutor(LocalExecutor):
    """Runs jobs sequentially until a deadline, also after failures.

    `close` ends the running job, which resumes when it is started again.

    Args:
        deadline: a value of `time.monotonic`.

    Raises: `TimeIsUp` from `has_room` and `wait`.
    """

    def __init__(self, deadline):
        super().__init__()
        self.stops_at_failure = False
        self._deadline = deadline

    def has_room(self):
        self._check_deadline()
        return super().has_room()

    def wait(self, seconds):
        ended = super().wait(seconds)
        if not ended:
            self._check_deadline()
        return ended

    def _check_deadline(self):
        if time.monotonic() >= self._deadline:
            raise TimeIsUp


def run_bounded(line, deadline, folder, variables):
    """Runs a command until it ends or its deadline has passed.

    Args:
        line: the program and its arguments.
        deadline: a value of `time.monotonic`.
        folder: working directory.
        variables: additional environment variables.

    Returns: the exit code.

    Raises: `TimeIsUp` at the deadline, after the process group has been ended.
    """
    process = subprocess.Popen(
        line,
        cwd=folder,
        start_new_session=True,  # a process group of its own
        env={**os.environ, **variables},
    )
    try:
        return process.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        raise TimeIsUp from None
    finally:
        if process.poll() is None:
            _end_group(process)


def _end_group(process):
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
