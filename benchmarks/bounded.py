"""Processes that end when their time is over, with all that they have started."""

import os
import signal
import subprocess
import time

from dsa.jobs.local import LocalExecutor

SECONDS_TO_END = 10  # for a process that is told to end


class TimeIsUp(Exception):
    """What was to be done is not done, and its time is over."""


class BoundedExecutor(LocalExecutor):
    """One job after the other, until a time; a failure does not end the others.

    Args:
        deadline: by `time.monotonic`.

    Raises: `TimeIsUp` from `has_room` and `wait`; a job that runs is told to end by
        `close`, and resumes when it is started again.
    """

    def __init__(self, deadline):
        super().__init__()
        self.stops_at_failure = False
        self._deadline = deadline

    def has_room(self):
        self._refuse_late()
        return super().has_room()

    def wait(self, seconds):
        ended = super().wait(seconds)
        if not ended:
            self._refuse_late()
        return ended

    def _refuse_late(self):
        if time.monotonic() >= self._deadline:
            raise TimeIsUp


def run_bounded(line, deadline, folder, variables):
    """Run a command until it ends.

    Args:
        line: the program and its arguments.
        deadline: by `time.monotonic`.
        folder: its working directory.
        variables: environment variables beside ours.

    Returns: its exit code.

    Raises: `TimeIsUp`; it and all that it started have ended.
    """
    process = subprocess.Popen(
        line,
        cwd=folder,
        start_new_session=True,  # so that what it starts can be ended too
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
