"""Runs jobs on a Ray cluster whose machines share the folders of the jobs.

This is the only module that imports Ray.
"""

import os
import secrets
import socket
from pathlib import Path
from typing import Any, NamedTuple

from dsa.errors import InputError
from dsa.jobs.job import Job, Needs
from dsa.jobs.job_process import (
    FAILED,
    INTERRUPTED,
    KILLED,
    Ending,
    JobProcess,
    limit_threads,
)
from dsa.jobs.local import Executor
from dsa.system.extras import importing
from dsa.version import __version__

PASSED_ON = ("DSA_", "JAX_", "KERAS_", "TF_", "XLA_")  # environment variables
SECONDS_TO_ANSWER = 10  # time limit of the head


class _Place(NamedTuple):
    """Version, folders and variables of a command, the same on every machine.

    Attributes:
        version: version of this package.
        folder: working directory.
        token: a file that exists on every machine that shares the folder of the logs.
        variables: environment variables.
    """

    version: str
    folder: str
    token: str
    variables: dict[str, str]


class RayExecutor(Executor):
    """Runs jobs on a Ray cluster, which queues them.

    Args:
        address: address of the cluster; "auto" for the cluster of this machine.
        needs: `Needs` of each job; `None` for one core.
    """

    def __init__(self, address: str = "auto", needs: Needs | None = None):
        self._address, self._needs = address, needs or Needs()
        self._running: dict[Any, Job] = {}  # by Ray's reference
        self._token: Path | None = None
        self._ray: Any = None

    def open(self, logs: str | os.PathLike) -> None:
        """Connects to the cluster.

        Raises: `InputError` without Ray or a cluster, and if no machine has the
            resources of a job.
        """
        with importing("cluster", "--executor ray needs the package ray"):
            import ray
        self._ray = ray
        self._logs = Path(logs).absolute()
        self._logs.mkdir(parents=True, exist_ok=True)
        self._token = self._logs / f".shared-{secrets.token_hex(8)}"
        self._token.write_text(socket.gethostname())
        self._connect()
        passed = {k: v for k, v in os.environ.items() if k.startswith(PASSED_ON)}
        self._place = _Place(__version__, os.getcwd(), str(self._token), passed)
        self._check_needs()
        # `execute` retries and reports killed jobs
        self._run = ray.remote(max_retries=0)(_run_job)

    def start(self, job: Job) -> Path:
        needs, log_file = self._needs, self._logs / job.log_name
        wanted = {"num_cpus": needs.cores, "num_gpus": needs.gpus}
        if needs.memory:
            wanted["memory"] = needs.memory
        task = self._run.options(name=job.name, **wanted)
        reference = task.remote(
            job.module, job.command, str(log_file), needs.cores, self._place
        )
        self._running[reference] = job
        return log_file

    def wait(self, seconds: float) -> list[tuple[Job, Ending]]:
        ended, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        return [(self._running.pop(one), self._read_ending(one)) for one in ended]

    def close(self) -> None:
        """Cancels running jobs and disconnects from the cluster."""
        if self._token:
            self._token.unlink(missing_ok=True)
        if self._ray and self._ray.is_initialized():
            for reference in self._running:
                self._ray.cancel(reference, force=True)
            self._ray.shutdown()
        self._running = {}

    def _connect(self):
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            _check_address_answers(self._address)
            self._ray.init(self._address, log_to_driver=False, logging_level="warning")
        except (OSError, ValueError, RuntimeError) as error:
            reason = str(error).strip().split("\n")[0]
            raise InputError(
                f"--address {self._address}: no Ray cluster: {reason}"
            ) from error

    def _check_needs(self):
        """Raises `InputError` if no machine has the resources of a job."""
        needs = {
            "CPU": self._needs.cores,
            "GPU": self._needs.gpus,
            "memory": self._needs.memory,
        }
        for node in self._ray.nodes():
            has = node["Resources"]
            if node["Alive"] and all(has.get(k, 0) >= n for k, n in needs.items()):
                return
        raise InputError(f"no machine of the Ray cluster has {self._needs.describe()}")

    def _read_ending(self, reference):
        from ray.exceptions import RayError, RayTaskError

        try:
            return Ending(*self._ray.get(reference))
        except RayTaskError as error:
            return Ending(FAILED, str(error).strip().split("\n")[-1])
        except RayError as error:  # the process or the machine of the job is gone
            return Ending(
                KILLED, f"its process or machine is gone ({type(error).__name__})"
            )


def _check_address_answers(address):
    """Raises `OSError` if `HOST:PORT` does not answer; Ray would retry for minutes."""
    host, separator, port = address.rpartition(":")
    if separator and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()


def _run_job(module, command, log_file, cores, place):
    """Runs a command on the machine that Ray chose, and returns its `Ending`."""
    problem = _explain_missing_access(place)
    if problem:
        return Ending(FAILED, f"machine {socket.gethostname()} {problem}")
    variables = {**limit_threads(cores), **place.variables}
    ending = JobProcess(module, command, log_file, variables, place.folder).wait()
    if ending.kind == INTERRUPTED:  # on that machine
        return Ending(KILLED, ending.reason)
    return ending


def _explain_missing_access(place):
    """Returns why this machine cannot run the job; "" if it can."""
    if place.version != __version__:
        return f"has dsa {__version__} instead of {place.version}"
    if not os.path.exists(place.token):
        return f"cannot access {os.path.dirname(place.token)}: share that folder"
    if not os.path.isdir(place.folder):
        return f"has no working directory {place.folder}: share it"
    return ""
