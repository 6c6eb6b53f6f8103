"""Jobs on the machines of a Ray cluster, which share the folders that jobs read and
write. Nothing else imports Ray."""

import logging
import os
import secrets
import socket
from pathlib import Path
from typing import NamedTuple

from dsa.errors import InputError
from dsa.jobs.job import Needs
from dsa.jobs.job_process import FAILED, INTERRUPTED, KILLED, Ending, JobProcess
from dsa.jobs.threads import limit_threads
from dsa.version import __version__

PASSED_ON = ("DSA_", "JAX_", "KERAS_", "TF_", "XLA_")  # environment variables
SECONDS_TO_ANSWER = 10  # for the head
SECONDS_OF_CHECK = 120  # for a process to start on every machine
log = logging.getLogger(__name__)


class _Place(NamedTuple):
    """Where and how a command runs, the same on every machine.

    Attributes:
        version: of this package.
        folder: the working directory.
        token: a file that a machine sees if it shares the folder.
        variables: environment variables.
    """

    version: str
    folder: str
    token: str
    variables: dict


class RayExecutor:
    """Runs jobs on a Ray cluster, as many at once as it has room for.

    Args:
        address: of the cluster; "auto" for the one that this machine belongs to.
        needs: the `Needs` of jobs that name none; `None` for one core.

    Attributes: as those of `LocalExecutor`.
    """

    runs_jobs = True
    stops_at_failure = False

    def __init__(self, address="auto", needs=None):
        self._address, self._needs = address, needs or Needs()
        self._running = {}  # reference of Ray's: job
        self._token = self._ray = None

    def open(self, logs):
        """Connect to the cluster, and check its machines.

        Raises: `InputError` without Ray or a cluster, for a machine that does not see
            the folder of the logs, or has another version of this package, and if no
            machine has what a job needs.
        """
        self._ray = _import_ray()
        self._logs = Path(logs).absolute()
        self._logs.mkdir(parents=True, exist_ok=True)
        self._token = self._logs / f".shared-{secrets.token_hex(8)}"
        self._token.write_text(socket.gethostname())
        self._connect()
        passed = {k: v for k, v in os.environ.items() if k.startswith(PASSED_ON)}
        self._place = _Place(__version__, os.getcwd(), str(self._token), passed)
        self._check_machines()
        # killed jobs are tried again by `execute`, which tells of them
        self._run = self._ray.remote(max_retries=0)(_run_job)

    def has_room(self):
        """Whether a job can be started now: Ray lets those wait that find no room."""
        return True

    def start(self, job):
        """Hand a job to Ray.

        Returns: the path of its log.
        """
        needs, log = job.needs or self._needs, self._logs / job.log_name
        wanted = {"num_cpus": needs.cores, "num_gpus": needs.gpus}
        if needs.memory:
            wanted["memory"] = needs.memory
        task = self._run.options(name=job.name, **wanted)
        reference = task.remote(
            job.module, job.command, str(log), needs.cores, self._place
        )
        self._running[reference] = job
        return log

    def wait(self, seconds):
        """As `LocalExecutor.wait`."""
        ended, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds)
        return [(self._running.pop(one), self._read_ending(one)) for one in ended]

    def close(self):
        """End what still runs, and leave the cluster."""
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

    def _check_machines(self):
        """Raises: `InputError` for the first machine that cannot run jobs."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        look = self._ray.remote(num_cpus=0, max_retries=0)(_describe_machine)
        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        nodes = [node for node in nodes if _has_room(node["Resources"], self._needs)]
        if not nodes:
            raise InputError(
                f"no machine of the Ray cluster has {self._needs.describe()}"
            )
        machines = {}
        for node in nodes:
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            answer = look.options(scheduling_strategy=there).remote(self._place)
            machines[answer] = node["NodeName"]
        lost = [
            machine
            for answer, machine in machines.items()
            if not self._check_machine(answer, machine)
        ]
        if len(lost) == len(machines):
            raise InputError(f"the Ray cluster has lost {', '.join(lost)}")

    def _check_machine(self, answer, machine):
        """Whether a machine is still there, by the reference of its answer.

        Raises: `InputError` if it cannot run jobs.
        """
        from ray import exceptions

        try:
            problem = self._ray.get(answer, timeout=SECONDS_OF_CHECK)
        except exceptions.GetTimeoutError:
            problem = f"did not answer within {SECONDS_OF_CHECK} s"
        except (exceptions.TaskUnschedulableError, exceptions.NodeDiedError):
            log.warning("machine %s has left the Ray cluster", machine)
            return False
        except exceptions.RayError as error:  # such as a package that it lacks
            problem = str(error).strip().split("\n")[-1]
        if problem:
            raise InputError(f"machine {machine} of the Ray cluster: {problem}")
        return True

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
    """Raises: `OSError` for `HOST:PORT` where nobody answers: Ray tries for minutes."""
    host, separator, port = address.rpartition(":")
    if separator and port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()


def _has_room(resources, needs):
    """Whether a machine with these resources of Ray's can run a job."""
    return (
        resources.get("CPU", 0) >= needs.cores
        and resources.get("GPU", 0) >= needs.gpus
        and resources.get("memory", 0) >= needs.memory
    )


def _import_ray():
    try:
        import ray
    except ImportError as error:
        raise InputError(
            "--executor ray: Ray is not installed. pip install '.[cluster]' installs it"
        ) from error
    return ray


def _describe_machine(place):
    """What keeps the machine that this runs on from running jobs; empty for nothing."""
    if place.version != __version__:
        return f"has dsa {__version__}, not {place.version}"
    if not os.path.exists(place.token):
        return f"does not see {os.path.dirname(place.token)}: share that folder"
    if not os.path.isdir(place.folder):
        return f"has no folder {place.folder}, the working directory: share it"
    return ""


def _run_job(module, command, log, cores, place):
    """Run a command on the machine that Ray has chosen; returns its `Ending`."""
    problem = _describe_machine(place)
    if problem:  # it has joined the cluster later
        return Ending(FAILED, f"machine {socket.gethostname()} {problem}")
    variables = {**limit_threads(cores), **place.variables}
    ending = JobProcess(module, command, log, variables, place.folder).wait()
    if ending.kind == INTERRUPTED:  # on that machine, by somebody else
        return Ending(KILLED, ending.reason)
    return ending
