"""Base class of executors, and executors for this machine."""

import abc
import functools
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from dsa.jobs.job import Job, Needs
from dsa.jobs.job_process import (
    STOP_TIMEOUT,
    JobProcess,
    Outcome,
    count_cores,
    make_command_line,
    make_thread_variables,
)
from dsa.system.python_path import PACKAGE, make_python_path

PAUSE = 0.1  # seconds between two polls
GRACE_SECONDS = 2  # time for jobs that were interrupted with this process
WITHOUT_GPU = {"CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"}


class Executor(abc.ABC):
    """Base class of executors. `execute` calls `open` first and `close` last.

    Attributes:
        runs_jobs: whether `start` runs jobs; otherwise it only prints them.
        stops_at_failure: whether no job is started after a failure. Running jobs are
            completed.
    """

    runs_jobs = True
    stops_at_failure = False

    def open(self, logs: str | os.PathLike) -> None:
        """Prepares the executor. Subclasses may create the log folder `logs`."""
        return

    def has_room(self) -> bool:
        """Returns whether a job can be started now."""
        return True

    def has_room_for(self, job: Job) -> bool:
        """Returns whether a given job can be started now."""
        return self.has_room()

    @abc.abstractmethod
    def start(self, job: Job) -> Path | None:
        """Starts a job, and returns the path of its log, or `None` without a log."""

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        """Waits until a job ends, and returns all ended jobs with their outcomes.

        Args:
            seconds: maximum time to wait, in seconds.
        """
        return []

    def close(self) -> None:
        """Ends running jobs."""
        return


class LocalExecutor(Executor):
    """Runs jobs in parallel, each in a separate process.

    With one worker, jobs print to the terminal, the number of threads is not limited,
    and no job is started after a failure.

    Args:
        workers: number of parallel jobs.
        needs: `Needs` of each job; `None` to divide the cores equally.
        has_gpu: whether this machine has a GPU. If so, one CPU job, such as the
            training of a linear model, runs in parallel with the GPU jobs. Its output
            is written to a log.
    """

    def __init__(
        self, workers: int = 1, needs: Needs | None = None, has_gpu: bool = False
    ):
        if needs is None and workers > 1:
            needs = Needs(cores=max(count_cores() // workers, 1))
        self.workers = workers
        self.has_gpu = has_gpu
        self._environment = make_thread_variables(needs.cores) if needs else {}
        self.stops_at_failure = workers == 1
        self._running: list[tuple[Job, JobProcess]] = []
        self._logs: Path | None = None

    def open(self, logs: str | os.PathLike) -> None:
        self._logs = Path(logs)

    def has_room(self) -> bool:
        num_running = sum(not self._is_cpu_job(job) for job, _ in self._running)
        return num_running < self.workers

    def has_room_for(self, job: Job) -> bool:
        if self._is_cpu_job(job):
            return not any(self._is_cpu_job(running) for running, _ in self._running)
        return self.has_room()

    def start(self, job: Job) -> Path | None:
        log = None
        environment = self._environment
        if self._is_cpu_job(job):
            environment = {**environment, **WITHOUT_GPU}
        if self._logs and (self.workers > 1 or self._is_cpu_job(job)):
            self._logs.mkdir(parents=True, exist_ok=True)
            log = self._logs / job.log_name
        process = JobProcess(job.module, job.command, log, environment)
        self._running.append((job, process))
        return log

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        deadline = time.monotonic() + seconds
        while True:
            states = [(job, process, process.poll()) for job, process in self._running]
            self._running = [
                (job, process) for job, process, outcome in states if outcome is None
            ]
            ended = [
                (job, outcome) for job, _, outcome in states if outcome is not None
            ]
            if ended or time.monotonic() >= deadline:
                return ended
            time.sleep(PAUSE)

    def close(self) -> None:
        # Ctrl-C in a terminal also reaches the jobs, and a second SIGINT would end
        # them during their cleanup
        grace = time.monotonic() + GRACE_SECONDS
        while any(process.poll() is None for _, process in self._running):
            if time.monotonic() >= grace:
                break
            time.sleep(PAUSE)
        deadline = time.monotonic() + STOP_TIMEOUT
        for _, process in self._running:
            process.interrupt()
        for _, process in self._running:
            process.wait_or_kill(deadline)
        self._running = []

    def _is_cpu_job(self, job: Job) -> bool:
        """Returns whether a job runs on the CPU in parallel with the GPU jobs."""
        return self.has_gpu and not job.needs_device


ONE_BY_ONE: Executor = LocalExecutor()


class PrintingExecutor(Executor):
    """Prints the command of each job as a shell line instead of running the job.

    The lines are for Slurm arrays, GNU parallel and similar tools. They set
    `PYTHONPATH` if this package is not installed.
    """

    runs_jobs = False

    def start(self, job: Job) -> None:
        line = make_command_line(job.module, job.command)
        if not _is_installed():
            line = ["env", f"PYTHONPATH={make_python_path()}", *line]
        print(shlex.join(line))


@functools.cache
def _is_installed():
    """Returns whether Python imports this copy of the package without `PYTHONPATH`."""
    environment = dict(os.environ)
    environment.pop("PYTHONPATH", None)
    code = "from importlib.util import find_spec; print(find_spec('dsa').origin)"
    line = [sys.executable, "-P", "-c", code]
    completed = subprocess.run(line, env=environment, capture_output=True, text=True)
    return completed.stdout.rstrip("\n") == str(PACKAGE / "__init__.py")
