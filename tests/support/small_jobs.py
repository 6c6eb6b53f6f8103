"""Jobs of `tests.support.small_job`, their records, and a driver."""

import subprocess
import sys

from dsa.jobs.job import Job

DRIVER = """
import pathlib, signal, sys
from dsa.system.command_line import command
from dsa.jobs.execute import execute
from dsa.jobs.ray_cluster import RayExecutor
from tests.support.small_jobs import make_job

address, folder = sys.argv[1], pathlib.Path(sys.argv[2])
# background jobs of a shell ignore Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)

@command
def main(arguments):
    jobs = [make_job(folder, *job.split("=")) for job in sys.argv[3:]]
    execute(jobs, RayExecutor(address), folder / "logs")

raise SystemExit(main([]))
"""


def start_driver(address, folder, *jobs):
    """Starts a process that runs jobs, such as "a=wait", on a Ray cluster."""
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, address, str(folder), *jobs],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def make_job(folder, name, *how):
    """Returns a job that is finished when its file exists."""
    command = (str(folder), name, *map(str, how))
    output = folder / name
    module = "tests.support.small_job"
    return Job(name, command, output, output.exists, module=module)


def count_starts(folder, name):
    """Returns the number of starts of a job."""
    file = folder / f"{name}.starts"
    return len(file.read_text().split()) if file.exists() else 0


def read_processes(folder):
    """Returns the process ids of all starts of jobs."""
    return [int(n) for f in folder.glob("*.starts") for n in f.read_text().split()]
