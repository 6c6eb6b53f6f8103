"""Executes jobs in order.

Finished jobs are skipped, killed jobs are retried, and failures are reported at the
end.
"""

import collections
import logging
import os
import statistics
import time
from collections.abc import Collection

from dsa.errors import InputError
from dsa.jobs.job import Job
from dsa.jobs.job_process import BUSY, DONE, FAILED, INTERRUPTED, KILLED, Outcome
from dsa.jobs.local import Executor

ATTEMPTS = 4  # maximum number of starts of a killed job
CHECK_SECONDS = 1.0  # between two checks of the queue
MIN_PAUSE, MAX_PAUSE = 10, 300  # seconds, while another process runs a job
log = logging.getLogger(__name__)


class JobsFailed(InputError):
    """Raised after all jobs have run if some have failed."""


def execute(jobs: Collection[Job], executor: Executor, logs: str | os.PathLike) -> bool:
    """Runs all unfinished jobs.

    If another process is running a job, waits for that process, and resumes the job if
    it is still unfinished.

    Args:
        jobs: the jobs, in order.
        executor: the executor that starts the jobs.
        logs: folder of the log files.

    Returns: `True` if the jobs have run, `False` if the executor only prints them.

    Raises: `JobsFailed` with one line per failed job; `KeyboardInterrupt` after Ctrl-C,
        once all processes have ended.
    """
    start_time = time.monotonic()
    execution = _Execution(jobs, executor)
    try:
        executor.open(logs)
        execution.run()
    finally:
        executor.close()
    if execution.failures:
        raise JobsFailed(execution.describe_failures())
    if executor.runs_jobs and execution.done:
        duration = describe_seconds(time.monotonic() - start_time)
        log.info("all jobs are finished (%d), in %s", len(jobs), duration)
    return executor.runs_jobs


def describe_seconds(seconds: float) -> str:
    """Returns a duration as text, such as "45 s", "12 min" or "3 h 5 min"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


class _Execution:
    """Queue, running jobs and statistics of a call of `execute`."""

    def __init__(self, jobs: Collection[Job], executor: Executor):
        self.executor = executor
        self.total = len(jobs)
        # jobs and their earliest start times, by `time.monotonic`
        self.waiting = collections.deque((job, 0.0) for job in jobs)
        self.running: dict[Job, float] = {}  # start times
        self.kills = collections.Counter()
        # seconds until the next check of a job that another process is running
        self.pauses: dict[Job, int] = {}
        self.finished = 0  # number of finished jobs, including earlier calls
        self.done = 0  # number of jobs that this call has run
        self.seconds: dict[Job, float] = {}  # durations of jobs that this call has run
        self.max_running = 1  # largest number of parallel jobs
        self.failures: list[tuple[str, str]] = []  # names and reasons

    def run(self):
        while self.waiting or self.running:
            if self._is_stopping:
                self.waiting.clear()
            self._start()
            if self.running:
                for job, outcome in self.executor.wait(CHECK_SECONDS):
                    self._handle_outcome(job, outcome)
            elif self.waiting:
                time.sleep(CHECK_SECONDS)

    @property
    def _is_stopping(self):
        """Whether no further job is started, because a job has failed."""
        return bool(self.failures) and self.executor.stops_at_failure

    def describe_failures(self):
        lines = [f"{name}: {reason}" for name, reason in self.failures]
        if not self.executor.stops_at_failure:
            lines.insert(0, f"{len(lines)} of {self.total} jobs failed")
        return "\n".join(lines)

    def _start(self):
        """Starts the waiting jobs for which the executor has capacity."""
        waiting = list(self.waiting)
        self.waiting.clear()
        for job, start_time in waiting:
            is_early = start_time > time.monotonic()
            if is_early or not self.executor.has_room_for(job):
                self.waiting.append((job, start_time))
            elif job.finished():
                self.finished += 1
                self._log_progress("already finished", job)
            else:
                self._start_job(job)

    def _start_job(self, job):
        log_path = self.executor.start(job)
        if self.executor.runs_jobs:
            self.running[job] = time.monotonic()
            self.max_running = max(self.max_running, len(self.running))
            output = f" (output: {log_path})" if log_path else ""
            log.info("started: %s%s", job.name, output)

    def _handle_outcome(self, job, outcome):
        """Counts, postpones, retries or reports a job that has ended."""
        seconds = time.monotonic() - self.running.pop(job)
        if outcome.kind == DONE and not job.finished():
            reason = (
                f"{job.output} was finished with data that differ from the local files"
            )
            outcome = Outcome(FAILED, reason)
        if outcome.kind == INTERRUPTED:
            raise KeyboardInterrupt
        if outcome.kind == DONE:
            self.finished += 1
            self.done += 1
            self.seconds[job] = seconds
            details = f", {describe_seconds(seconds)}"
            remaining = self._estimate_remaining()
            if remaining is not None:
                details += f"; about {describe_seconds(remaining)} left"
            self._log_progress("done", job, details)
        elif outcome.kind == BUSY and not self._is_stopping:
            self._postpone(job, outcome)
        elif outcome.kind == KILLED and self._can_retry(job):
            self.kills[job] += 1
            log.warning("%s: %s; retrying", job.name, outcome.reason)
            self.waiting.appendleft((job, 0.0))
        else:
            self.failures.append((job.name, outcome.reason))
            # without running jobs, `JobsFailed` is raised at once
            if self.running or not self.executor.stops_at_failure:
                log.error("failed: %s", job.name)

    def _can_retry(self, job):
        return self.kills[job] < ATTEMPTS - 1 and not self._is_stopping

    def _estimate_remaining(self) -> float | None:
        """Returns the estimated seconds until all jobs have ended, or `None` if no job
        is left.

        The estimates are multiplied by the ratio of measured to estimated durations of
        the finished jobs. A job without an estimate gets the mean measured duration.
        """
        if not self.waiting and not self.running:
            return None
        known = [job for job in self.seconds if job.seconds]
        correction = 1.0
        if known:
            expected = sum(job.seconds or 0 for job in known)
            correction = sum(self.seconds[job] for job in known) / expected
        mean = statistics.mean(self.seconds.values())
        now = time.monotonic()
        remaining = 0.0
        for job in [*(job for job, _ in self.waiting), *self.running]:
            seconds = job.seconds * correction if job.seconds else mean
            elapsed = now - self.running.get(job, now)
            remaining += max(seconds - elapsed, 0)
        return remaining / self.max_running

    def _postpone(self, job, outcome):
        """Delays a job that another process is running."""
        pause = self.pauses.get(job, MIN_PAUSE)
        self.pauses[job] = min(2 * pause, MAX_PAUSE)
        self.waiting.append((job, time.monotonic() + pause))
        log.info("%s waits for another process: %s", job.name, outcome.reason)

    def _log_progress(self, state, job, details=""):
        log.info(
            "%d of %d %s: %s%s", self.finished, self.total, state, job.name, details
        )
