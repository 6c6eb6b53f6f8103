"""Runs that are trained and evaluated on this machine, each in a process of its own:
a process gives its memory back when it ends."""

import logging
import subprocess
import sys
from pathlib import Path

from dsa.errors import InputError
from dsa.sweeps.finished_runs import Runs, find_missing_splits
from dsa.sweeps.plans import write_assignments

log = logging.getLogger(__name__)


def complete_runs(plans, splits, folder, root, scripts):
    """Train the runs that are missing, and evaluate all of them, one after the other.
    Interrupted, the same call goes on where it was.

    Args:
        plans: a list of `Plan`.
        splits: the splits that each run is evaluated on once, if their files exist.
        folder: where runs are looked for, and where new ones go.
        root: the data root.
        scripts: the folder of `train.py` and `evaluate.py`.

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
            run_script(Path(scripts, "train.py"), arguments)
            run = Runs(path, root).find(plan.experiment)
            if run is None:
                raise InputError(
                    f"{path}: has ended, but not on the data below the data root"
                )
        for split in find_missing_splits(run, splits, root):
            arguments = [run.path, "--split", split, "--data-root", root]
            run_script(Path(scripts, "evaluate.py"), arguments)


def run_script(script, arguments):
    """Run a Python script in a process of its own, and wait for its end.

    Raises: `InputError` if it stops with an error, `KeyboardInterrupt` if it was
        interrupted.
    """
    line = [sys.executable, script, *arguments]
    code = subprocess.run([str(part) for part in line]).returncode
    if code < 0 or code == 130:
        raise KeyboardInterrupt
    if code:
        raise InputError(f"{script.name} stopped with exit code {code}, see above")
