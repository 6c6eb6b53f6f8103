"""Estimates of the training time of planned runs."""

import dataclasses
import math
import os
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dsa.backends.choice import get_backend_name
from dsa.backends.device_check import list_cards
from dsa.data.corpora.catalogue import get_corpus
from dsa.data.corpora.files import find_file, is_present, read_lines
from dsa.data.corpora.hub_rows import is_address
from dsa.data.corpora.subsets import SUBSETS, find_subset
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.data_config import DataConfig
from dsa.experiment.training_config import TrainingConfig
from dsa.experiment.yaml_file import format_assignments
from dsa.jobs.job_process import DONE, JobProcess
from dsa.papers.table import Table
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import read_history
from dsa.sweeps.planned_runs import Plan
from dsa.system.environment import get_processor_name

MEASURED_STEPS = 20  # after the same number of warm-up steps


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Estimated training time of a run.

    Args:
        seconds: estimated time; `None` if it is unknown.
        source: description of the source of the estimate.
        is_improvable: whether measured training steps would improve the estimate.
    """

    seconds: float | None
    source: str
    is_improvable: bool = False


@dataclasses.dataclass(frozen=True)
class FinishedRun:
    """A finished run on this machine.

    Args:
        settings: settings that determine the result, without seed and fold.
        step_settings: settings that determine the time of a training step.
        environment: content of `environment.json`.
        wall_seconds: seconds of all training stages.
    """

    settings: dict[str, Any]
    step_settings: dict[str, Any]
    environment: dict[str, Any]
    wall_seconds: float

    @property
    def step_seconds(self) -> float:
        """Seconds per training step."""
        return (
            self.environment["seconds_per_epoch"] / self.environment["steps_per_epoch"]
        )


def list_local_runs(runs: Iterable[RunFolder]) -> list[FinishedRun]:
    """Returns the finished runs that were trained with this backend and device.

    Runs that were resumed on another machine or with other code are excluded.
    """
    devices = set(list_cards()) or {f"CPU, {get_processor_name()}"}
    backend, cores = get_backend_name(), os.cpu_count()
    local_runs = []
    for run in runs:
        try:
            experiment, environment = run.experiment(), run.environment()
        except InputError:  # unreadable run folder
            continue
        if environment.get("backend") != backend or environment.get("cores") != cores:
            continue
        if environment.get("device") not in devices:
            continue
        if environment.get("earlier_parts") or not environment.get("wall_seconds"):
            continue
        local_runs.append(
            FinishedRun(
                settings=_remove_seed_and_fold(experiment.result_settings()),
                step_settings=_list_step_settings(experiment),
                environment=environment,
                wall_seconds=_sum_wall_seconds(run, experiment),
            )
        )
    return local_runs


def _sum_wall_seconds(run: RunFolder, experiment: Experiment) -> float:
    """Returns the seconds of all training stages in a run folder, without the refit on
    train and dev."""
    seconds = run.environment()["wall_seconds"]
    for stage in experiment.model.stages():
        if stage.folder is None or stage.finished_run:
            continue
        stage_run = RunFolder(run.path / stage.folder)
        if stage_run.has("environment.json"):
            seconds += stage_run.environment().get("wall_seconds", 0)
    return seconds


def estimate_time(
    plan: Plan,
    table: Table,
    local_runs: Sequence[FinishedRun],
    root: Path,
) -> Estimate:
    """Estimates the training time of a planned run.

    The first available source is used: finished runs on this machine with other seeds
    or folds; training steps of finished runs with equal step settings; the seconds per
    epoch in the paper.

    Args:
        plan: the plan.
        table: the table of the plan.
        local_runs: finished runs on this machine.
        root: the data root.
    """
    experiment = plan.experiment
    settings = _remove_seed_and_fold(experiment.result_settings())
    same_runs = [run for run in local_runs if run.settings == settings]
    if same_runs:
        seconds = statistics.median(run.wall_seconds for run in same_runs)
        return Estimate(seconds, f"{len(same_runs)} finished here")
    if not experiment.family.has_epochs:
        return Estimate(None, "linear model, not estimated")
    steps = _count_all_steps(experiment, root)
    if steps is None:
        return Estimate(None, "unknown number of rows")
    step_settings = _list_step_settings(experiment)
    step_seconds = [
        run.step_seconds for run in local_runs if run.step_settings == step_settings
    ]
    if step_seconds:
        source = "steps of similar runs here"
        return Estimate(steps * statistics.median(step_seconds), source)
    return _estimate_from_paper(plan, table, steps)


def estimate_by_steps(plan: Plan, root: Path) -> Estimate | None:
    """Estimates the training time of a planned run from measured training steps.

    The steps are measured in a temporary run folder, after a warm-up.

    Returns: the estimate, or `None` if the training fails or the number of rows is
        unknown.
    """
    steps = _count_all_steps(plan.experiment, root)
    if steps is None:
        return None
    overrides = {
        **plan.overrides,
        "training.steps": 2 * MEASURED_STEPS,
        "training.evaluate_every": MEASURED_STEPS,
        "training.evaluate_from": 0,
        "training.warmup_steps": 0,
        "training.refit_with_dev": False,
    }
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder, "run"))
        command = ["train", str(plan.config), "--set", *format_assignments(overrides)]
        command += ["--run", str(run.path), "--data-root", str(root)]
        process = JobProcess("dsa.commands", command, Path(folder, "log.txt"))
        try:
            if process.wait().kind != DONE:
                return None
        finally:
            process.interrupt()
        seconds = read_history(run)[-1]["seconds"] / MEASURED_STEPS
    return Estimate(steps * seconds, f"{MEASURED_STEPS} steps measured now")


def _count_all_steps(experiment: Experiment, root: Path) -> int | None:
    """Returns the number of training steps of all stages, see `count_steps`."""
    steps = count_steps(experiment.data, experiment.training, root)
    if steps is None:
        return None
    stages = [stage for stage in experiment.model.stages() if not stage.finished_run]
    return steps * len(stages)


def count_steps(data: DataConfig, training: TrainingConfig, root: Path) -> int | None:
    """Returns the number of training steps of a stage that does not stop early.

    Returns `None` if the number of rows is unknown.
    """
    if training.steps:
        return training.steps
    rows = count_training_rows(data, root)
    if rows is None:
        return None
    return training.epochs * math.ceil(rows / training.batch_size)


def count_training_rows(data: DataConfig, root: Path) -> int | None:
    """Returns the approximate number of rows of an epoch, or `None` if it is unknown.

    Each line of a file is counted as a row. If the file is missing, the published size
    of the subset or of the corpus is used.
    """
    rows = _count_rows(data.train, data.corpus, root)
    if rows is None:
        return None
    if data.folds:
        rows = rows * (data.folds.count - 1) // data.folds.count
    elif data.dev_share and data.dev_from == "train":
        rows = round(rows * (1 - data.dev_share))
    if data.train_rows:
        rows = min(rows, data.train_rows)
    if data.both_orders:
        rows *= 2
    if data.mix:
        mixed = _count_rows(data.mix.path, data.mix.corpus, root)
        if mixed is not None:
            rows += round(mixed * data.mix.share)
    return rows


def _count_rows(file: str, corpus_name: str, root: Path) -> int | None:
    """Returns the approximate number of rows of a file, or `None` if it is unknown."""
    if is_address(file):
        return None
    if is_present(root, file):
        lines = read_lines(find_file(root, file), encoding="latin-1")
        return sum(1 for _ in lines)
    subset = find_subset(file)
    if subset is not None:
        return SUBSETS[subset].num_lines
    corpus = get_corpus(corpus_name)
    if file != corpus.splits.get("train"):
        return None
    return corpus.training_pairs or corpus.official_rows.get(Path(file).name)


def _estimate_from_paper(plan: Plan, table: Table, steps: int) -> Estimate:
    """Estimates the training time by the seconds per epoch in the paper.

    If the paper has no time for the row, the longest time in its table is used.
    """
    seconds_by_model = {}
    if table.source:
        for number in table.source.read_numbers():
            if number.seconds_per_epoch:
                seconds_by_model[number.model] = number.seconds_per_epoch
    pairs = get_corpus(table.corpus).training_pairs
    if not seconds_by_model or not pairs:
        return Estimate(None, "no time in the paper", is_improvable=True)
    seconds = seconds_by_model.get(plan.row)
    if seconds is None:
        seconds = max(seconds_by_model.values())
        source = f"slowest model of the paper: {seconds:g} s per epoch"
    else:
        source = f"paper: {seconds:g} s per epoch"
    epochs = steps * plan.experiment.training.batch_size / pairs
    return Estimate(seconds * epochs, source, is_improvable=True)


def _remove_seed_and_fold(settings: dict[str, Any]) -> dict[str, Any]:
    """Removes the settings that differ between the runs of a row.

    Args:
        settings: settings from `Experiment.result_settings`, which are modified.

    Returns: `settings`.
    """
    del settings["seed"]
    if settings["data"]["folds"]:
        del settings["data"]["folds"]["fold"]
    return settings


def _list_step_settings(experiment: Experiment) -> dict[str, Any]:
    """Returns the settings that determine the time of a training step."""
    training = experiment.training
    return {
        "corpus": experiment.data.corpus,
        "model": experiment.model.model_dump(mode="json"),
        "units": experiment.embedding.units,
        "projection": experiment.embedding.projection,
        "trainable": experiment.embedding.trainable,
        "nonoverlap": experiment.features.nonoverlap,
        "batch_size": training.batch_size,
        "max_tokens": training.max_tokens,
        "optimizer": training.optimizer.name,
        "precision": training.precision,
        "matmul_precision": training.matmul_precision,
        "devices": training.devices,
        "premises_once": training.premises_once,
        "by_length": training.by_length,
    }
