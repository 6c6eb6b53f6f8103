"""Runs jobs in order: skips finished jobs, retries killed jobs, and reports failures at
the end."""

import collections
import logging
import os
import time
from collections.abc import Collection

from dsa.errors import InputError
from dsa.jobs.job import Job
from dsa.jobs.job_process import BUSY, DONE, FAILED, INTERRUPTED, KILLED, Ending
from dsa.jobs.local import Executor

ATTEMPTS = 4  # maximum number of starts of a killed job
SECONDS = 1.0  # between two checks of the queue
FIRST_PAUSE, LONGEST_PAUSE = 10, 300  # seconds, for a job of another process
log = logging.getLogger(__name__)


class JobsFailed(InputError):
    """Raised after all jobs have run if some have failed."""


def execute(jobs: Collection[Job], executor: Executor, logs: str | os.PathLike) -> bool:
    """Runs all unfinished jobs.

    Waits for jobs that another process is running; if such a job is not finished
    afterwards, it is resumed.

    Args:
        jobs: the jobs, in order.
        executor: starts the processes of the jobs.
        logs: folder of the log files.

    Returns: whether the jobs have run; `False` if the executor only prints them.

    Raises: `JobsFailed` with one line per failed job; `KeyboardInterrupt` after Ctrl-C,
        once all processes have ended.
    """
    started = time.monotonic()
    execution = _Execution(jobs, executor)
    try:
        executor.open(logs)
        execution.run()
    finally:
        executor.close()
    if execution.failures:
        raise JobsFailed(execution.describe_failures())
    if executor.runs_jobs and execution.done:
        minutes = describe_seconds(time.monotonic() - started)
        log.info("all jobs are finished (%d), in %s", len(jobs), minutes)
    return executor.runs_jobs


def describe_seconds(seconds: float) -> str:
    """Returns a duration as text, such as "45 s", "12 min" or "3 h 5 min"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


class _Execution:
    """State of the jobs of a call of `execute`."""

    def __init__(self, jobs: Collection[Job], executor: Executor):
        self.executor, self.total = executor, len(jobs)
        # jobs and their earliest start times, by `time.monotonic`
        self.waiting = collections.deque((job, 0.0) for job in jobs)
        self.running: dict[Job, float] = {}  # start times
        self.kills = collections.Counter()
        self.pauses: dict[Job, int] = {}  # seconds, by job of another process
        self.finished, self.done = 0, 0
        self.failures: list[tuple[str, str]] = []  # names and reasons

    def run(self):
        while self.waiting or self.running:
            self._start()
            if self.running:
                for job, ending in self.executor.wait(SECONDS):
                    self._handle_ending(job, ending)
            elif self.waiting:
                time.sleep(SECONDS)
            if self.failures and self.executor.stops_at_failure:
                break

    def describe_failures(self):
        if self.executor.stops_at_failure:
            return self.failures[0][1]
        lines = [f"{name}: {reason}" for name, reason in self.failures]
        return "\n".join([f"{len(lines)} of {self.total} jobs failed", *lines])

    def _start(self):
        """Starts waiting jobs until the executor is full."""
        for _ in range(len(self.waiting)):
            if not self.executor.has_room():
                return
            job, begin = self.waiting.popleft()
            if begin > time.monotonic():
                self.waiting.append((job, begin))
            elif job.finished():
                self.finished += 1
                self._log_progress("finished already", job)
            else:
                self._start_job(job)

    def _start_job(self, job):
        log_path = self.executor.start(job)
        if self.executor.runs_jobs:
            self.running[job] = time.monotonic()
            output = f", its output is in {log_path}" if log_path else ""
            log.info("started: %s%s", job.name, output)

    def _handle_ending(self, job, ending):
        """Counts, retries or reports a job that has ended."""
        seconds = time.monotonic() - self.running.pop(job)
        if ending.kind == DONE and not job.finished():
            reason = (
                f"{job.output}: finished with other data than the files of this machine"
            )
            ending = Ending(FAILED, reason)
        if ending.kind == INTERRUPTED:
            raise KeyboardInterrupt
        if ending.kind == DONE:
            self.finished, self.done = self.finished + 1, self.done + 1
            self._log_progress("done", job, f", {describe_seconds(seconds)}")
        elif ending.kind == BUSY:
            self._wait_for_others(job, ending)
        elif ending.kind == KILLED and self.kills[job] < ATTEMPTS - 1:
            self.kills[job] += 1
            log.warning("%s: %s, retrying", job.name, ending.reason)
            self.waiting.appendleft((job, 0.0))
        else:
            self.failures.append((job.name, ending.reason))
            log.error("failed: %s: %s", job.name, ending.reason)

    def _wait_for_others(self, job, ending):
        pause = self.pauses.get(job, FIRST_PAUSE)
        self.pauses[job] = min(2 * pause, LONGEST_PAUSE)
        self.waiting.append((job, time.monotonic() + pause))
        log.info("%s waits for another process: %s", job.name, ending.reason)

    def _log_progress(self, state, job, more=""):
        log.info("%d of %d %s: %s%s", self.finished, self.total, state, job.name, more)
