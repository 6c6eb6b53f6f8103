"""Planned runs, executed as jobs that train and evaluate."""

import dataclasses
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dsa.data.corpora.files import is_present
from dsa.experiment.config import Experiment
from dsa.experiment.yaml_file import format_assignments
from dsa.jobs.execute import execute
from dsa.jobs.job import Job
from dsa.jobs.local import ONE_BY_ONE, Executor
from dsa.runs.run_folder import RunFolder, is_complete
from dsa.runs.studies import StudyRun
from dsa.sweeps.finished_runs import RunIndex, find_missing_splits

log = logging.getLogger(__name__)
LOGS = "logs"  # subfolder of the folder of runs for the logs of the jobs


@dataclasses.dataclass(frozen=True)
class Plan:
    """A planned run.

    Args:
        row: name of the table row of the run.
        config: path of the YAML file.
        overrides: overrides of the config, including `seed`.
        experiment: the resolved experiment.
        path: run folder, relative to the parent folder of `runs`.
        title: name in log messages; `None` for the value of `row`.
        seconds: estimated training time; `None` if it is unknown.
    """

    row: str
    config: str | Path
    overrides: dict[str, Any]
    experiment: Experiment
    path: Path
    title: str | None = None
    seconds: float | None = None

    @property
    def name(self) -> str:
        """The title, the seed and, in a cross-validation, the fold."""
        fold = self.overrides.get("data.folds.fold")
        name = f"{self.title or self.row}, seed {self.overrides['seed']}"
        return name if fold is None else f"{name}, fold {fold}"


def complete_runs(
    plans: Sequence[Plan],
    splits: Sequence[str],
    folder: Path,
    root: Path,
    executor: Executor = ONE_BY_ONE,
) -> bool:
    """Trains the missing runs and evaluates all runs.

    A repeated call resumes the unfinished runs after an interruption.

    Args:
        plans: the planned runs.
        splits: splits on which each run is evaluated. Splits that have an evaluation or
            no file are skipped.
        folder: folder of existing and new runs.
        root: the data root.
        executor: executor of the jobs, see `dsa.jobs`; by default, runs are trained one
            by one on this machine.

    Returns: `True` if the runs are complete, `False` if the executor only prints jobs.

    Raises: `JobsFailed` if at least one job has failed.
    """
    index = RunIndex.scan(folder, root)
    _log_missing_splits(plans, splits, root)
    jobs = []
    for plan in plans:
        run = index.find(plan.experiment)
        if run is None:
            path = Path(folder, plan.path.relative_to("runs"))
            jobs.append(_plan_training(plan, path, splits, root))
        elif isinstance(run, StudyRun):
            continue  # has no weights that could be evaluated
        elif not is_complete(run):
            jobs.append(_plan_training(plan, run.path, splits, root))
        else:
            jobs += _plan_evaluations(plan, run, splits, root)
    log.info("runs: %d, jobs left: %d", len(plans), len(jobs))
    return execute(jobs, executor, Path(folder, LOGS))


def _log_missing_splits(plans: Iterable[Plan], splits: Sequence[str], root: Path):
    """Logs once for each split that its file is missing."""
    files = set()
    for plan in plans:
        for split in splits:
            name = plan.experiment.data.file(split)
            if name:
                files.add((split, name))
    for split, name in sorted(files):
        if not is_present(root, name):
            log.info("%s is not evaluated: %s is not in the data root", split, name)


def _plan_training(plan: Plan, path: Path, splits: Sequence[str], root: Path) -> Job:
    """Returns a job that trains a missing or incomplete run."""

    def is_finished() -> bool:
        run = RunIndex.scan(path, root).find(plan.experiment)
        if run is None or not is_complete(run):
            return False
        return not find_missing_splits(run, splits, root)

    command = ["train", str(plan.config), "--set", *format_assignments(plan.overrides)]
    command += ["--run", str(path), "--resume", "--data-root", str(root)]
    splits_with_file = [split for split in splits if plan.experiment.data.file(split)]
    if splits_with_file:
        command += ["--evaluate", *splits_with_file]
    return Job(
        plan.name,
        tuple(command),
        path,
        is_finished,
        seconds=plan.seconds,
        needs_device=plan.experiment.family.has_epochs,
    )


def _plan_evaluations(
    plan: Plan, run: RunFolder, splits: Iterable[str], root: Path
) -> Iterator[Job]:
    """Yields a job for each missing evaluation of a finished run.

    The jobs do not require the training data.
    """
    for split in find_missing_splits(run, splits, root):

        def is_evaluated(split: str = split) -> bool:
            return not find_missing_splits(run, [split], root)

        name = f"{plan.name}, {split}"
        options = ("--split", split, "--keep-answers", "--data-root", str(root))
        yield Job(name, ("evaluate", str(run.path), *options), run.path, is_evaluated)
