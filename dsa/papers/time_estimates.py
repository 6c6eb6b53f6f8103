"""Estimates of the training time of planned runs."""

import dataclasses
import math
import os
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dsa.backends.choice import choose_backend
from dsa.backends.device_check import list_cards
from dsa.data.corpora.catalogue import get_corpus
from dsa.data.corpora.files import find_file, is_present, read_lines
from dsa.data.corpora.hub_rows import is_address
from dsa.data.corpora.subsets import SUBSETS, find_subset
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.data_config import DataConfig
from dsa.experiment.training_config import TrainingConfig
from dsa.experiment.yaml_file import write_assignments
from dsa.jobs.job_process import DONE, JobProcess
from dsa.papers.table import Table
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import read_history
from dsa.sweeps.planned_runs import Plan
from dsa.system.environment import processor

MEASURED_STEPS = 20  # after as many steps of warm-up


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Estimated training time of a run.

    Args:
        seconds: the time; `None` if it is unknown.
        source: origin of the number.
        improves: whether a measured step would give a better estimate.
    """

    seconds: float | None
    source: str
    improves: bool = False


@dataclasses.dataclass(frozen=True)
class FinishedRun:
    """A finished run on this machine.

    Args:
        settings: decisive settings without seed and fold.
        kind: settings that determine the time of a step, see `_describe_step`.
        environment: content of `environment.json`.
    """

    settings: dict[str, Any]
    kind: dict[str, Any]
    environment: dict[str, Any]

    @property
    def step_seconds(self) -> float:
        """Seconds per training step."""
        return (
            self.environment["seconds_per_epoch"] / self.environment["steps_per_epoch"]
        )


def list_runs_of_this_machine(runs: Iterable[RunFolder]) -> list[FinishedRun]:
    """Returns the finished runs of this backend and device, without segments on other
    machines."""
    cards = set(list_cards())
    machine = {"backend": choose_backend(), "cores": os.cpu_count()}
    found = []
    for run in runs:
        try:
            experiment, environment = run.experiment(), run.environment()
        except InputError:  # damaged
            continue
        devices = cards or {f"CPU, {processor()}"}
        on_machine = all(environment.get(key) == machine[key] for key in machine)
        if not on_machine or environment.get("device") not in devices:
            continue
        if environment.get("earlier_parts") or not environment.get("wall_seconds"):
            continue
        found.append(
            FinishedRun(
                _without_seed(experiment.decisive_settings()),
                _describe_step(experiment),
                environment,
            )
        )
    return found


def estimate(
    plan: Plan,
    table: Table,
    finished: Sequence[FinishedRun],
    root: Path,
) -> Estimate:
    """Returns the estimated time of a planned run.

    The first available source is used: finished runs with other seeds or folds on this
    machine, the steps of finished runs on other data, and the seconds per epoch in the
    paper.

    Args:
        plan: the plan.
        table: the table of the plan.
        finished: finished runs of this machine.
        root: the data root.
    """
    experiment = plan.experiment
    settings = _without_seed(experiment.decisive_settings())
    same = [run for run in finished if run.settings == settings]
    if same:
        seconds = statistics.median(run.environment["wall_seconds"] for run in same)
        return Estimate(seconds, f"{len(same)} finished here")
    if not experiment.family.has_epochs:
        return Estimate(None, "linear model, not estimated")
    steps = count_steps(experiment.data, experiment.training, root)
    if steps is None:
        return Estimate(None, "unknown number of rows")
    kind = _describe_step(experiment)
    steps_here = [run.step_seconds for run in finished if run.kind == kind]
    if steps_here:
        text = "steps of runs on other data here"
        return Estimate(steps * statistics.median(steps_here), text)
    return _estimate_from_paper(plan, table, steps)


def estimate_by_steps(plan: Plan, root: Path) -> Estimate | None:
    """Trains some steps of a plan in a temporary folder, and returns the estimate from
    the steps after a warm-up; `None` if the training fails."""
    steps = count_steps(plan.experiment.data, plan.experiment.training, root)
    overrides = {
        **plan.overrides,
        "training.steps": 2 * MEASURED_STEPS,
        "training.evaluate_every": MEASURED_STEPS,
        "training.evaluate_from": 0,
    }
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder, "run"))
        command = ["train", plan.config, "--set", *write_assignments(overrides)]
        command += ["--run", run.path, "--data-root", root]
        log = Path(folder, "log.txt")
        process = JobProcess("dsa.commands", [*map(str, command)], log)
        try:
            if process.wait().kind != DONE or steps is None:
                return None
        finally:
            process.interrupt()
        seconds = read_history(run)[-1]["seconds"] / MEASURED_STEPS
    return Estimate(steps * seconds, f"{MEASURED_STEPS} steps measured now")


def count_steps(data: DataConfig, training: TrainingConfig, root: Path) -> int | None:
    """Returns the largest number of training steps, without early stopping; `None` if
    the number of rows is unknown."""
    if training.steps:
        return training.steps
    rows = count_training_rows(data, root)
    if rows is None:
        return None
    return training.epochs * math.ceil(rows / training.batch_size)


def count_training_rows(data: DataConfig, root: Path) -> int | None:
    """Returns the approximate number of rows of an epoch; `None` if it is unknown.

    A file is counted by its lines. The size of a missing file is that of the subset or
    of the official file.
    """
    rows = _count_rows(data.train, data.corpus, root)
    if rows is None:
        return None
    if data.folds:
        rows = rows * (data.folds.count - 1) // data.folds.count
    elif data.dev_share and data.dev_from == "train":
        rows = round(rows * (1 - data.dev_share))
    if data.both_orders:
        rows *= 2
    if data.mix:
        mixed = _count_rows(data.mix.path, data.mix.corpus, root)
        rows += round((mixed or 0) * data.mix.share)
    return rows


def _count_rows(file: str, corpus_name: str, root: Path) -> int | None:
    if is_address(file):
        return None
    if is_present(root, file):
        lines = read_lines(find_file(root, file), encoding="latin-1")
        return sum(1 for _ in lines)
    if name := find_subset(file):
        return SUBSETS[name].rows
    corpus = get_corpus(corpus_name)
    if file != corpus.splits.get("train"):
        return None
    return corpus.training_pairs or corpus.official_rows.get(Path(file).name)


def _estimate_from_paper(plan: Plan, table: Table, steps: int) -> Estimate:
    """Returns an estimate from the paper's seconds per epoch on its own hardware: of
    the row, else the largest of the table."""
    numbers = table.source.numbers() if table.source else []
    known = {n.model: n.seconds_per_epoch for n in numbers if n.seconds_per_epoch}
    pairs = get_corpus(table.corpus).training_pairs
    if not known or not pairs:
        return Estimate(None, "no time in the paper", improves=True)
    seconds = known.get(plan.row)
    text = "paper: {:g} s an epoch"
    if seconds is None:
        seconds = max(known.values())
        text = "slowest of the paper: {:g} s an epoch"
    epochs = steps * plan.experiment.training.batch_size / pairs
    return Estimate(seconds * epochs, text.format(seconds), improves=True)


def _without_seed(settings: dict[str, Any]) -> dict[str, Any]:
    """Returns decisive settings without seed and fold."""
    data = dict(settings["data"])
    if data["folds"]:
        data["folds"] = data["folds"]["count"]
    others = {key: value for key, value in settings.items() if key != "seed"}
    return others | {"data": data}


def _describe_step(experiment: Experiment) -> dict[str, Any]:
    """Returns the settings that determine the time of a training step."""
    training = experiment.training
    return {
        "corpus": experiment.data.corpus,
        "model": experiment.model.model_dump(mode="json"),
        "units": experiment.embedding.units,
        "projection": experiment.embedding.projection,
        "trainable": experiment.embedding.trainable,
        "batch_size": training.batch_size,
        "precision": training.precision,
        "premises_once": training.premises_once,
    }
