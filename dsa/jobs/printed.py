"""Jobs as lines of a shell, for Slurm's arrays, GNU parallel and the like."""

import shlex

from dsa.jobs.job_process import make_line


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
        """Print a job's command."""
        print(shlex.join(make_line(job.module, job.command)))

    def close(self):
        """Has nothing to end."""
