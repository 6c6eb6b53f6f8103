"""Stages of a run in training order.

With `training.refit_with_dev`, all stages are then trained on train and dev.
"""

import contextlib
import dataclasses
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.yaml_file import parse_experiment
from dsa.models.model_config import Stage
from dsa.runs.run_folder import WITH_DEV, RunFolder, is_finished
from dsa.runs.run_records import read_history
from dsa.training.run_state import Finished, RunState, open_run

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class StageRun:
    """Training stage with its experiment and run folder.

    Args:
        stage: the `Stage` of the model's family.
        experiment: the `Experiment` of this stage.
        run: the `RunFolder` of this stage: for the last stage, the folder of the whole
            run; for another stage, a subfolder.
        earlier: the `RunFolder` of the preceding stage; `None` for the first stage.
        opened: context manager that locks the run folder and yields its `RunState`.
    """

    stage: Stage
    experiment: Experiment
    run: RunFolder
    earlier: RunFolder | None
    opened: AbstractContextManager[RunState]


def plan_stages(
    experiment: Experiment, run: RunFolder, state: RunState
) -> Iterator[StageRun]:
    """Yields the unfinished stages in training order, and always the last stage.

    Train each stage before advancing the generator. For a finished run, only the last
    stage and the unfinished stages of the refit with dev are yielded.

    Args:
        experiment: the `Experiment` of the run.
        run: the locked run folder.
        state: the state of the run.

    Raises: `InputError` for a finished stage with changed files, and if a run folder in
        the config is not a finished stage of this model.
    """
    runs: list[RunFolder] = []  # run of each stage
    stages = experiment.model.stages()
    is_trained = isinstance(state, Finished)
    for stage in stages:
        stage_experiment, folder = experiment, run
        if stage.finished_run:
            folder = RunFolder(stage.finished_run)
            if not is_trained:
                _check_finished_run(stage, folder, experiment)
        elif stage.folder:
            settings = experiment.model_dump(mode="json")
            stage_experiment = parse_experiment(
                settings, stage.changes, f"the stage '{stage.folder}'"
            )
            folder = RunFolder(run.path / stage.folder)
        earlier = runs[-1] if runs else None
        if folder is run:
            opened = contextlib.nullcontext(state)
            yield StageRun(stage, stage_experiment, run, earlier, opened)
        elif not (is_trained or stage.finished_run or _is_trained(folder)):
            opened = open_run(stage_experiment, folder)
            yield StageRun(stage, stage_experiment, folder, earlier, opened)
        runs.append(folder)
    if experiment.training.refit_with_dev:
        yield from _plan_with_dev(experiment, stages, runs)


def _plan_with_dev(
    experiment: Experiment, stages: list[Stage], runs: list[RunFolder]
) -> Iterator[StageRun]:
    """Yields the stages of the refit on train and dev.

    Each stage is trained for the number of epochs after which dev was best, and is a
    complete run in a subfolder of the first run of the stage. Its dev metrics are
    measured on training rows.

    Reference: Yin et al. 2016, section 5.5.
    """
    earlier, finished_runs = None, {}
    for stage, run in zip(stages, runs, strict=True):
        first_experiment = run.experiment() if stage.folder else experiment
        epochs = count_chosen_epochs(run, first_experiment.dev_metric)
        changes = {
            "data.train_on_dev": True,
            "training.refit_with_dev": False,
            "training.epochs": epochs,
            "training.steps": None,
            "training.early_stopping": None,
            "training.evaluate_from": 0,  # dev is evaluated once, at the end
            **finished_runs,
        }
        settings = first_experiment.model_dump(mode="json")
        with_dev = parse_experiment(settings, changes, "the training with dev")
        folder = RunFolder(run.path / WITH_DEV)
        log.info("refit with dev: %d epochs, in %s", epochs, folder.path)
        if not _is_trained(folder):
            yield StageRun(stage, with_dev, folder, earlier, open_run(with_dev, folder))
        earlier = folder
        if stage.setting:
            # absolute, because resuming compares settings
            finished_runs[stage.setting] = str(folder.path.resolve())


def _is_trained(run):
    """Returns whether the run of a stage has finished.

    Raises: `InputError` for a finished run with changed files.
    """
    if not is_finished(run):
        return False
    run.check_files()
    return True


def _check_finished_run(stage: Stage, run: RunFolder, experiment: Experiment) -> None:
    """Raises `InputError` for a run folder that cannot replace a stage."""
    if not run.is_started():
        raise InputError(
            f"'{stage.setting}': expected a trained run. Received: {run.path}. Train "
            f"the run first, or omit '{stage.setting}'"
        )
    if not is_finished(run):
        raise InputError(f"'{stage.setting}': the training in {run.path} is unfinished")
    if stage.check_run:
        try:
            stage.check_run(run.experiment(), experiment)
        except ValueError as error:
            raise InputError(f"'{stage.setting}': {run.path} {error}") from error


def count_chosen_epochs(run: RunFolder, metric: str) -> int:
    """Returns the number of epochs after which dev was best, at least 1.

    Args:
        run: a finished `RunFolder`.
        metric: name of the dev metric.

    Raises: `InputError` if the history lacks the metric.
    """
    key = f"val_{metric}"
    evaluated: list[dict[str, Any]] = [
        row for row in read_history(run) if row.get(key) is not None
    ]
    if not evaluated:
        raise InputError(f"{run.path}: history.csv has no '{key}'")
    best = max(evaluated, key=lambda row: row[key])  # the first of equal values
    return max(1, round(best.get("epoch") or 1))
