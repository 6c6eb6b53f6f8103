"""Plans the training stages of a run.

With `training.refit_with_dev`, all stages are trained a second time, on train and dev.
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
        stage: the `Stage` of the model family.
        experiment: the `Experiment` of this stage.
        run: the `RunFolder` of this stage. The last stage uses the folder of the whole
            run, the other stages use subfolders.
        previous_run: the `RunFolder` of the preceding stage; `None` for the first
            stage.
        state_context: context manager that locks the run folder and yields its
            `RunState`.
    """

    stage: Stage
    experiment: Experiment
    run: RunFolder
    previous_run: RunFolder | None
    state_context: AbstractContextManager[RunState]


def plan_stages(
    experiment: Experiment, run: RunFolder, state: RunState
) -> Iterator[StageRun]:
    """Yields the stages in training order, each with its state.

    Train each stage before advancing the generator, unless its state is `Finished`. For
    a finished run, only the last stage and the stages of the refit on train and dev are
    yielded.

    Args:
        experiment: the `Experiment` of the run.
        run: the locked run folder.
        state: the state of the run.

    Raises: `InputError` if the files of a finished stage have changed, or if a run
        folder in the config is not a finished stage of this model.
    """
    runs: list[RunFolder] = []  # run of each stage
    stages = experiment.model.stages()
    is_run_finished = isinstance(state, Finished)
    for stage in stages:
        previous_run = runs[-1] if runs else None
        if stage.finished_run:
            stage_run = RunFolder(stage.finished_run)
            if not is_run_finished:
                _check_finished_run(stage, stage_run, experiment)
        elif stage.folder:
            stage_run = RunFolder(run.path / stage.folder)
            settings = experiment.model_dump(mode="json")
            stage_experiment = parse_experiment(
                settings, stage.changes, f"the stage '{stage.folder}'"
            )
            if not is_run_finished:
                yield StageRun(
                    stage,
                    stage_experiment,
                    stage_run,
                    previous_run,
                    open_run(stage_experiment, stage_run),
                )
        else:
            stage_run = run
            yield StageRun(
                stage, experiment, run, previous_run, contextlib.nullcontext(state)
            )
        runs.append(stage_run)
    if experiment.training.refit_with_dev:
        yield from _plan_refit_with_dev(experiment, stages, runs)


def _plan_refit_with_dev(
    experiment: Experiment, stages: list[Stage], runs: list[RunFolder]
) -> Iterator[StageRun]:
    """Yields the stages of the refit on train and dev.

    Each stage is trained up to the epoch of the best dev evaluation of its first run.
    The refit of a stage is a complete run in a subfolder of its first run. Its dev
    metrics are computed on training rows.

    Reference: Yin et al. 2016, section 5.3.
    """
    previous_run = None
    finished_runs = {}  # overrides that select the finished stages
    for stage, run in zip(stages, runs, strict=True):
        first_experiment = run.experiment() if stage.folder else experiment
        epochs = count_best_epochs(run, first_experiment.dev_metric)
        training = first_experiment.training
        # an epoch of train and dev has at least as many steps as an epoch of train
        min_steps = epochs * run.environment().get("steps_per_epoch", 1)
        changes = {
            "data.train_on_dev": True,
            "training.refit_with_dev": False,
            "training.epochs": epochs,
            "training.steps": None,
            "training.early_stopping": None,
            "training.evaluate_from": 0,  # dev is evaluated once, at the end
            "training.warmup_steps": min(training.warmup_steps, min_steps - 1),
            "training.gradient_accumulation_steps": min(
                training.gradient_accumulation_steps, min_steps
            ),
            **finished_runs,
        }
        settings = first_experiment.model_dump(mode="json")
        refit_experiment = parse_experiment(settings, changes, "the training with dev")
        refit_run = RunFolder(run.path / WITH_DEV)
        log.info("refit with dev: %d epochs, in %s", epochs, refit_run.path)
        yield StageRun(
            stage,
            refit_experiment,
            refit_run,
            previous_run,
            open_run(refit_experiment, refit_run),
        )
        previous_run = refit_run
        if stage.setting:
            # absolute, because resuming compares settings
            finished_runs[stage.setting] = str(refit_run.path.resolve())


def _check_finished_run(stage: Stage, run: RunFolder, experiment: Experiment) -> None:
    """Raises `InputError` if a run folder in the config cannot replace a stage."""
    if not run.is_started():
        raise InputError(
            f"'{stage.setting}': expected a trained run. Received: {run.path}. Train "
            f"the run first, or omit '{stage.setting}'"
        )
    if not is_finished(run):
        raise InputError(
            f"'{stage.setting}': the training in {run.path} must be finished. To "
            "continue it, add --resume"
        )
    if stage.check_run:
        try:
            stage.check_run(run.experiment(), experiment)
        except ValueError as error:
            raise InputError(f"'{stage.setting}': {run.path} {error}") from error


def count_best_epochs(run: RunFolder, metric: str) -> int:
    """Returns the number of epochs up to the best dev evaluation, at least 1.

    Args:
        run: a finished `RunFolder`.
        metric: name of the dev metric.

    Raises: `InputError` if the history contains no value of the metric.
    """
    column = f"val_{metric}"
    evaluations: list[dict[str, Any]] = [
        row for row in read_history(run) if row.get(column) is not None
    ]
    if not evaluations:
        raise InputError(f"{run.path}: history.csv has no column '{column}'")
    best = max(evaluations, key=lambda row: row[column])  # the first of equal values
    return max(1, round(best.get("epoch") or 1))  # linear models have no epochs
