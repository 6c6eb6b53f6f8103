"""Executor for a Ray cluster whose machines share the folders of the jobs.

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
    JobProcess,
    Outcome,
    make_thread_variables,
)
from dsa.jobs.local import Executor
from dsa.system.extras import importing
from dsa.version import __version__

# prefixes of environment variables that jobs receive
VARIABLE_PREFIXES = ("DSA_", "JAX_", "KERAS_", "TF_", "XLA_")
CONNECT_TIMEOUT = 10  # seconds until the connection to the head node fails


class _Context(NamedTuple):
    """Settings of the main process that every machine must support.

    Attributes:
        version: version of this package.
        folder: path of the working directory.
        token: path of a file in the log folder. A machine shares the folder if it can
            access this file.
        variables: environment variables of the command.
    """

    version: str
    folder: str
    token: str
    variables: dict[str, str]


class RayExecutor(Executor):
    """Runs jobs on a Ray cluster, which has its own queue.

    Args:
        address: address of the cluster; "auto" for the cluster of this machine.
        needs: `Needs` of each job; `None` for one core.
    """

    def __init__(self, address: str = "auto", needs: Needs | None = None):
        self._address = address
        self._needs = needs or Needs()
        self._running: dict[Any, Job] = {}  # by object reference of Ray
        self._token: Path | None = None
        self._ray: Any = None

    def open(self, logs: str | os.PathLike) -> None:
        """Connects to the cluster.

        Raises: `InputError` if Ray is not installed, no cluster answers, or no machine
            has the resources of a job.
        """
        with importing("cluster", "--executor ray requires the package ray"):
            import ray
        self._ray = ray
        self._logs = Path(logs).absolute()
        self._logs.mkdir(parents=True, exist_ok=True)
        self._token = self._logs / f".shared-{secrets.token_hex(8)}"
        self._token.write_text(socket.gethostname())
        self._connect()
        variables = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(VARIABLE_PREFIXES)
        }
        self._context = _Context(__version__, os.getcwd(), str(self._token), variables)
        self._check_needs()
        # `execute` retries and reports killed jobs
        self._run = ray.remote(max_retries=0)(_run_job)

    def start(self, job: Job) -> Path:
        needs = self._needs
        log_file = self._logs / job.log_name
        resources = {"num_cpus": needs.cores, "num_gpus": needs.gpus}
        if needs.memory:
            resources["memory"] = needs.memory
        task = self._run.options(name=job.name, **resources)
        reference = task.remote(
            job.module, job.command, str(log_file), needs.cores, self._context
        )
        self._running[reference] = job
        return log_file

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        references, _ = self._ray.wait(
            list(self._running), num_returns=1, timeout=seconds
        )
        return [
            (self._running.pop(reference), self._get_outcome(reference))
            for reference in references
        ]

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
            resources = node["Resources"]
            if node["Alive"] and all(
                resources.get(name, 0) >= need for name, need in needs.items()
            ):
                return
        raise InputError(f"no machine of the Ray cluster has {self._needs.describe()}")

    def _get_outcome(self, reference):
        from ray.exceptions import RayError, RayTaskError

        try:
            return Outcome(*self._ray.get(reference))
        except RayTaskError as error:
            return Outcome(FAILED, str(error).strip().split("\n")[-1])
        except RayError as error:  # the process or the machine has failed
            return Outcome(
                KILLED, f"process or machine failed ({type(error).__name__})"
            )


def _check_address_answers(address):
    """Raises `OSError` if `HOST:PORT` does not answer. Ray would retry for minutes."""
    host, separator, port = address.rpartition(":")
    if separator and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), CONNECT_TIMEOUT).close()


def _run_job(module, command, log_file, cores, context):
    """Runs a command on the machine that Ray has selected. Returns its `Outcome`."""
    problem = _describe_problem(context)
    if problem:
        return Outcome(FAILED, f"machine {socket.gethostname()} {problem}")
    variables = {**make_thread_variables(cores), **context.variables}
    outcome = JobProcess(module, command, log_file, variables, context.folder).wait()
    if outcome.kind == INTERRUPTED:  # on that machine
        return Outcome(KILLED, outcome.reason)
    return outcome


def _describe_problem(context):
    """Returns the reason if this machine cannot run the job, or else ""."""
    if context.version != __version__:
        return f"has dsa {__version__} instead of {context.version}"
    if not os.path.exists(context.token):
        return f"cannot access {os.path.dirname(context.token)}: share this folder"
    if not os.path.isdir(context.folder):
        return f"has no working directory {context.folder}: share it"
    return ""
