"""Runs of two models that are compared seed by seed, from their answers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.answers import Answers
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder


class MeasuredRun(NamedTuple):
    """A run and its answers for the rows of one split."""

    run: RunFolder
    experiment: Experiment
    answers: Answers


def pair_by_seed(
    first: Sequence[MeasuredRun], other: Sequence[MeasuredRun]
) -> tuple[list[MeasuredRun], list[MeasuredRun]]:
    """Returns the runs of two models in the order of their seeds.

    Raises: `InputError` for runs of another task or of other rows than the first one,
        for two runs of one seed, and for other seeds than those of the first model.
    """
    for run in (*first, *other):
        _check_same_rows(first[0], run)
    first, other = (
        sorted(side, key=lambda run: run.experiment.seed) for side in (first, other)
    )
    seeds, others = ([run.experiment.seed for run in side] for side in (first, other))
    for side in (seeds, others):
        if len(set(side)) < len(side):
            raise InputError(f"two runs of a model have one seed: {_join(side)}")
    if seeds != others:
        raise InputError(
            "runs are compared seed by seed, and the models have other seeds: "
            f"{_join(seeds)}, and {_join(others)}"
        )
    return first, other


def _check_same_rows(first, run):
    task, expected = run.experiment.task, first.experiment.task
    if task != expected:
        raise InputError(
            f"{run.run.path}: a run of task '{task.name}', the runs before it are of "
            f"task '{expected.name}'"
        )
    rows, expected = run.answers, first.answers
    if rows.rows_sha256 != expected.rows_sha256 or not np.array_equal(
        rows.labels, expected.labels
    ):
        raise InputError(
            f"{run.run.path}: its split '{rows.split}' has other rows than that of the "
            "runs before it"
        )


def stack_values(runs: Sequence[MeasuredRun]) -> dict[str, np.ndarray]:
    """Returns `{metric: (S, U)}`, the value of each unit for each of a model's runs."""
    values = [
        run.experiment.task.unit_values(
            run.answers.outputs, run.answers.labels, run.answers.groups
        )
        for run in runs
    ]
    return {metric: np.stack([v[metric] for v in values]) for metric in values[0]}


def list_seeds(runs: Sequence[MeasuredRun]) -> str:
    """Returns the seeds of runs in words, such as "16, 17, 18"."""
    return _join(run.experiment.seed for run in runs)


def _join(seeds):
    return ", ".join(map(str, seeds))
