"""Pairs the runs of two models by seed, for their comparison."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.answers import Answers
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder


class MeasuredRun(NamedTuple):
    """A run, with its config and its answers for a split."""

    run: RunFolder
    experiment: Experiment
    answers: Answers


def pair_by_seed(
    first: Sequence[MeasuredRun], other: Sequence[MeasuredRun]
) -> tuple[list[MeasuredRun], list[MeasuredRun]]:
    """Sorts the runs of two models by seed.

    Args:
        first: runs of the first model.
        other: runs of the other model, in any order.

    Returns: the runs of each model, in the order of their seeds.

    Raises: `InputError` if runs have different tasks or rows, if two runs of a model
        have the same seed, or if the models have different seeds.
    """
    for run in (*first, *other):
        _check_same_rows(first[0], run)
    first, seeds = _sort_by_seed(first)
    other, other_seeds = _sort_by_seed(other)
    if seeds != other_seeds:
        raise InputError(
            "runs are compared seed by seed, so both models must have the same seeds. "
            f"Received: {_format_integers(seeds)}, and {_format_integers(other_seeds)}"
        )
    return first, other


def _sort_by_seed(runs):
    """Returns the runs of a model in the order of their seeds, and the seeds."""
    runs = sorted(runs, key=lambda run: run.experiment.seed)
    seeds = [run.experiment.seed for run in runs]
    if len(set(seeds)) < len(seeds):
        raise InputError(
            "the runs of a model must have different seeds. Received: "
            f"{_format_integers(seeds)}"
        )
    return runs, seeds


def _check_same_rows(first, run):
    """Raises `InputError` if a run has another task or other rows than the first."""
    task = run.experiment.task
    expected_task = first.experiment.task
    if task != expected_task:
        raise InputError(
            f"{run.run.path}: expected a run of task '{expected_task.name}'. Received: "
            f"task '{task.name}'"
        )
    answers = run.answers
    expected = first.answers
    is_same = answers.rows_sha256 == expected.rows_sha256 and np.array_equal(
        answers.labels, expected.labels
    )
    if not is_same:
        raise InputError(
            f"{run.run.path}: the split '{answers.split}' has other rows than in the "
            "first run"
        )


def stack_values(runs: Sequence[MeasuredRun]) -> dict[str, np.ndarray]:
    """Returns the metric values of S runs for U units, `{metric: array (S, U)}`."""
    values_by_run = []
    for run in runs:
        answers = run.answers
        task = run.experiment.task
        values = task.unit_values(answers.outputs, answers.labels, answers.groups)
        values_by_run.append(values)
    stacked = {}
    for metric in values_by_run[0]:
        stacked[metric] = np.stack([values[metric] for values in values_by_run])
    return stacked


def format_seeds(runs: Sequence[MeasuredRun]) -> str:
    """Returns the seeds of runs as text, such as "16, 17, 18"."""
    return _format_integers([run.experiment.seed for run in runs])


def _format_integers(integers):
    return ", ".join(str(integer) for integer in integers)
