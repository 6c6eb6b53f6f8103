"""The stages of a run in training order, followed by the same stages on train and dev
with `training.refit_with_dev`."""

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
    """A stage to train, with its experiment and run folder.

    Args:
        stage: the `Stage` of the model's family.
        experiment: the `Experiment` of this stage.
        run: the `RunFolder` of this stage: for the last stage the folder of the whole
            run, otherwise a folder below it.
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
    """Yields the unfinished stages in training order, and the last stage. Train each
    stage before advancing the generator.

    Args:
        experiment: the `Experiment` of the run.
        run: the run folder, locked.
        state: its state. Of a finished run, only the last stage is yielded, and
            unfinished stages that are trained again with dev.

    Raises: `InputError` for a finished stage with changed files, and for a run
        folder in the config that is not a finished stage of this model.
    """
    runs: list[RunFolder] = []  # one per stage
    stages = experiment.model.stages()
    is_trained = isinstance(state, Finished)
    for stage in stages:
        own, folder = experiment, run
        if stage.finished_run:
            folder = RunFolder(stage.finished_run)
            if not is_trained:
                _check_finished_run(stage, folder, experiment)
        elif stage.folder:
            settings = experiment.model_dump(mode="json")
            own = parse_experiment(
                settings, stage.changes, f"the stage '{stage.folder}'"
            )
            folder = RunFolder(run.path / stage.folder)
        earlier = runs[-1] if runs else None
        if folder is run:
            yield StageRun(stage, own, run, earlier, contextlib.nullcontext(state))
        elif not (is_trained or stage.finished_run or _is_trained(folder)):
            yield StageRun(stage, own, folder, earlier, open_run(own, folder))
        runs.append(folder)
    if experiment.training.refit_with_dev:
        yield from _plan_with_dev(experiment, stages, runs)


def _plan_with_dev(
    experiment: Experiment, stages: list[Stage], runs: list[RunFolder]
) -> Iterator[StageRun]:
    """Yields the same stages, trained on train and dev for the number of epochs after
    which dev was best.

    Each is a complete run below the folder of its stage. Its dev metrics are measured
    on training rows.

    Reference: Yin et al. 2016, section 5.5.
    """
    earlier, finished_runs = None, {}
    for stage, run in zip(stages, runs, strict=True):
        own = run.experiment() if stage.folder else experiment
        epochs = count_chosen_epochs(run, own.dev_metric)
        changes = {
            "data.train_on_dev": True,
            "training.refit_with_dev": False,
            "training.epochs": epochs,
            "training.steps": None,
            "training.early_stopping": None,
            "training.evaluate_from": 0,  # dev is evaluated once, at the end
            **finished_runs,
        }
        settings = own.model_dump(mode="json")
        with_dev = parse_experiment(settings, changes, "the training with dev")
        folder = RunFolder(run.path / WITH_DEV)
        log.info("again with dev: %d epochs, in %s", epochs, folder.path)
        if not _is_trained(folder):
            yield StageRun(stage, with_dev, folder, earlier, open_run(with_dev, folder))
        earlier = folder
        if stage.setting:
            # independent of the working directory, because resuming compares settings
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
            f"it first, or leave '{stage.setting}' out"
        )
    if not is_finished(run):
        raise InputError(f"'{stage.setting}': {run.path} has not finished its training")
    if stage.check_run:
        try:
            stage.check_run(run.experiment(), experiment)
        except ValueError as error:
            raise InputError(f"'{stage.setting}': {run.path} {error}") from error


def count_chosen_epochs(run: RunFolder, selects: str) -> int:
    """Returns the number of epochs after which dev was best, at least 1.

    Args:
        run: a finished `RunFolder`.
        selects: the dev metric.

    Raises: `InputError` for a history without this metric.
    """
    key = f"val_{selects}"
    evaluated: list[dict[str, Any]] = [
        row for row in read_history(run) if row.get(key) is not None
    ]
    if not evaluated:
        raise InputError(f"{run.path}: history.csv has no '{key}'")
    best = max(evaluated, key=lambda row: row[key])  # ties: the first
    return max(1, round(best.get("epoch") or 1))
