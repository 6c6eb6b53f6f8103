"""Planned runs as jobs: each is trained and evaluated by one command."""

import logging
from pathlib import Path

from dsa.experiment.run_folder import is_complete
from dsa.jobs.execute import execute
from dsa.jobs.job import Job
from dsa.jobs.local import ONE_BY_ONE
from dsa.sweeps.finished_runs import Runs, find_missing_splits
from dsa.sweeps.plans import write_assignments

log = logging.getLogger(__name__)
LOGS = "logs"  # the folder of the jobs' logs, among the runs


def complete_runs(plans, splits, folder, root, executor=ONE_BY_ONE):
    """Train the runs that are missing, and evaluate all of them. Stopped, the same call
    goes on where it was.

    Args:
        plans: a list of `Plan`.
        splits: the splits that each run is evaluated on once, if their files exist.
        folder: where runs are looked for, and where new ones go.
        root: the data root.
        executor: see `dsa.jobs`; by default one run after the other on this machine.

    Returns: whether the runs are complete; `False` if the executor only shows jobs.

    Raises: `JobsFailed`.
    """
    finished = Runs(folder, root)
    jobs = []
    for plan in plans:
        run = finished.find(plan.experiment)
        if run is None:
            path = Path(folder, *plan.path.parts[1:])  # without the leading `runs`
            jobs.append(_plan_training(plan, path, splits, root))
        elif not is_complete(run):
            jobs.append(_plan_training(plan, run.path, splits, root))
        else:
            jobs += _plan_evaluations(plan, run, splits, root)
    log.info("runs: %d, jobs left: %d", len(plans), len(jobs))
    return execute(jobs, executor, Path(folder, LOGS))


def _plan_training(plan, path, splits, root):
    """A job for a run that is missing, or that has still to be trained with dev."""

    def is_finished():
        run = Runs(path, root).find(plan.experiment)
        if run is None or not is_complete(run):
            return False
        return not find_missing_splits(run, splits, root)

    command = ["train", plan.config, "--set", *write_assignments(plan.overrides)]
    command += ["--run", path, "--resume", "--data-root", root]
    named = [split for split in splits if plan.experiment.data.file(split)]
    if named:
        command += ["--evaluate", *named]
    return Job(plan.name, tuple(map(str, command)), path, is_finished)


def _plan_evaluations(plan, run, splits, root):
    """A job for each split that a finished run was not evaluated on. Its training data
    may be gone."""
    for split in find_missing_splits(run, splits, root):
        command = ("evaluate", run.path, "--split", split, "--data-root", root)

        def is_evaluated(split=split):
            return not find_missing_splits(run, [split], root)

        name = f"{plan.name}, {split}"
        yield Job(name, tuple(map(str, command)), run.path, is_evaluated)
