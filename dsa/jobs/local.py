"""Jobs on this machine."""

import time
from pathlib import Path

from dsa.jobs.job import Needs
from dsa.jobs.job_process import SECONDS_TO_END, JobProcess
from dsa.jobs.threads import count_cores, limit_threads

PAUSE = 0.1  # seconds between two looks at the processes


class LocalExecutor:
    """Runs some jobs at once, each in a process of its own.

    With one worker, what a job prints goes to the terminal, a job computes with as many
    threads as it likes, and the first failure ends the others: they would hide it.

    Args:
        workers: how many jobs run at once.
        needs: the `Needs` of jobs that name none; `None` to share the cores.

    Attributes:
        runs_jobs: whether jobs are run; otherwise `start` only shows them.
        stops_at_failure: whether no job is started after one has failed.
    """

    runs_jobs = True

    def __init__(self, workers=1, needs=None):
        self.workers, self._needs = workers, needs
        self.stops_at_failure = workers == 1
        self._running = []  # (job, its process)

    def open(self, logs):
        """Prepare for jobs.

        Args:
            logs: the folder of their logs; it is made if it will be used.
        """
        self._logs = None if self.workers == 1 else Path(logs)
        if self._logs:
            self._logs.mkdir(parents=True, exist_ok=True)

    def has_room(self):
        """Whether a job can be started now."""
        return len(self._running) < self.workers

    def start(self, job):
        """Start a job.

        Returns: the path of its log; `None` if it has none.
        """
        log = self._logs and self._logs / job.log_name
        needs = job.needs or self._needs
        if needs is None and self.workers > 1:
            needs = Needs(cores=max(count_cores() // self.workers, 1))
        variables = limit_threads(needs.cores) if needs else {}
        self._running.append((job, JobProcess(job.module, job.command, log, variables)))
        return log

    def wait(self, seconds):
        """Wait for the end of a job.

        Args:
            seconds: how long at most.

        Returns: a list of `(job, Ending)`; empty if none has ended.
        """
        deadline = time.monotonic() + seconds
        while True:
            looked = [(job, run, run.poll()) for job, run in self._running]
            self._running = [(job, run) for job, run, end in looked if end is None]
            ended = [(job, end) for job, _, end in looked if end is not None]
            if ended or time.monotonic() >= deadline:
                return ended
            time.sleep(PAUSE)

    def close(self):
        """End what still runs."""
        deadline = time.monotonic() + SECONDS_TO_END
        for _, process in self._running:
            process.interrupt()
        for _, process in self._running:
            process.end(deadline)
        self._running = []


ONE_BY_ONE = LocalExecutor()
