"""Runs that are trained and evaluated on this machine, each in a process of its own:
a process gives its memory back when it ends."""

import logging
import os
import subprocess
import sys
from pathlib import Path

from dsa.errors import InputError
from dsa.sweeps.finished_runs import Runs, find_missing_splits
from dsa.sweeps.plans import write_assignments

PACKAGE = Path(__file__).resolve().parents[1]
log = logging.getLogger(__name__)


def complete_runs(plans, splits, folder, root):
    """Train the runs that are missing, and evaluate all of them, one after the other.
    Interrupted, the same call goes on where it was.

    Args:
        plans: a list of `Plan`.
        splits: the splits that each run is evaluated on once, if their files exist.
        folder: where runs are looked for, and where new ones go.
        root: the data root.

    Raises: `InputError` if a process stops with an error; it has printed the reason.
    """
    finished = Runs(folder, root)
    for number, plan in enumerate(plans, start=1):
        log.info("%d of %d: %s", number, len(plans), plan.name)
        run = finished.find(plan.experiment)
        if run is None:
            path = Path(folder, *plan.path.parts[1:])  # without the leading `runs`
            arguments = [plan.config, "--set", *write_assignments(plan.overrides)]
            arguments += ["--run", path, "--resume", "--data-root", root]
            run_command("train", arguments)
            run = Runs(path, root).find(plan.experiment)
            if run is None:
                raise InputError(
                    f"{path}: has ended, but not on the data below the data root"
                )
        for split in find_missing_splits(run, splits, root):
            arguments = [run.path, "--split", split, "--data-root", root]
            run_command("evaluate", arguments)


def run_command(name, arguments):
    """Run a command of ours in a process of its own, and wait for its end.

    Args:
        name: of the command, such as "train".
        arguments: of the command.

    Raises: as `run_process`.
    """
    # -P: this package, whatever the working directory holds
    line = [sys.executable, "-P", "-m", "dsa.commands", name, *arguments]
    run_process(line, f"dsa {name}")


def run_process(line, name):
    """Run a process, and wait for its end.

    Args:
        line: the program and its arguments.
        name: what to call it in an error.

    Raises: `InputError` if it stops with an error, `KeyboardInterrupt` if it was
        interrupted.
    """
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    code = subprocess.run([str(part) for part in line], env=environment).returncode
    if code < 0 or code == 130:
        raise KeyboardInterrupt
    if code:
        raise InputError(f"{name} stopped with exit code {code}, see above")
