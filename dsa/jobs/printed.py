"""Jobs as lines of a shell, for Slurm's arrays, GNU parallel and the like."""

import functools
import os
import shlex
import subprocess
import sys

from dsa.jobs.job_process import PACKAGE, make_line, make_python_path


class PrintingExecutor:
    """Prints the command of each job on a line of its own, and runs none.

    Attributes: as those of `LocalExecutor`.
    """

    runs_jobs = False
    stops_at_failure = False

    def open(self, logs):
        """Has nothing to prepare."""

    def has_room(self):
        """Whether a job can be started now."""
        return True

    def start(self, job):
        """Print a job's command, with `PYTHONPATH` where Python would not find this
        package without it."""
        line = make_line(job.module, job.command)
        if not _is_installed():
            line = ["env", f"PYTHONPATH={make_python_path()}", *line]
        print(shlex.join(line))

    def close(self):
        """Has nothing to end."""


@functools.cache
def _is_installed():
    """Whether Python finds this package, and no other copy of it, in any folder."""
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    asked = "from importlib.util import find_spec; print(find_spec('dsa').origin)"
    line = [sys.executable, "-P", "-c", asked]
    found = subprocess.run(line, env=variables, capture_output=True, text=True)
    return found.stdout.rstrip("\n") == str(PACKAGE / "__init__.py")
