"""Pairs of runs with the same seed, for the comparison of two models."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.answers import Answers
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder


class MeasuredRun(NamedTuple):
    """A run with its config and its answers for a split."""

    run: RunFolder
    experiment: Experiment
    answers: Answers


def pair_by_seed(
    first: Sequence[MeasuredRun], other: Sequence[MeasuredRun]
) -> tuple[list[MeasuredRun], list[MeasuredRun]]:
    """Sorts the runs of two models by seed.

    Raises: `InputError` for runs with different tasks or rows, for several runs of a
        model with the same seed, and for models with different seeds.
    """
    for run in (*first, *other):
        _check_same_rows(first[0], run)
    first, seeds = _sort_by_seed(first)
    other, other_seeds = _sort_by_seed(other)
    if seeds != other_seeds:
        raise InputError(
            "runs are compared seed by seed, so both models must have the same seeds. "
            f"Received: {_join(seeds)}, and {_join(other_seeds)}"
        )
    return first, other


def _sort_by_seed(runs):
    """Returns the runs of a model in the order of their seeds, and the seeds."""
    runs = sorted(runs, key=lambda run: run.experiment.seed)
    seeds = [run.experiment.seed for run in runs]
    if len(set(seeds)) < len(seeds):
        raise InputError(
            f"the runs of a model must have different seeds. Received: {_join(seeds)}"
        )
    return runs, seeds


def _check_same_rows(first, run):
    """Raises `InputError` for a run with another task or other rows than the first."""
    task, expected_task = run.experiment.task, first.experiment.task
    if task != expected_task:
        raise InputError(
            f"{run.run.path}: expected a run of task '{expected_task.name}'. Received: "
            f"task '{task.name}'"
        )
    answers, expected = run.answers, first.answers
    is_same = answers.rows_sha256 == expected.rows_sha256 and np.array_equal(
        answers.labels, expected.labels
    )
    if not is_same:
        raise InputError(
            f"{run.run.path}: the split '{answers.split}' has other rows than in the "
            "first run"
        )


def stack_values(runs: Sequence[MeasuredRun]) -> dict[str, np.ndarray]:
    """Returns the metric values of S runs for U units: `{metric: (S, U)}`."""
    values = [
        run.experiment.task.unit_values(
            run.answers.outputs, run.answers.labels, run.answers.groups
        )
        for run in runs
    ]
    return {
        metric: np.stack([run_values[metric] for run_values in values])
        for metric in values[0]
    }


def list_seeds(runs: Sequence[MeasuredRun]) -> str:
    """Returns the seeds of runs as text, such as "16, 17, 18"."""
    return _join(run.experiment.seed for run in runs)


def _join(seeds):
    return ", ".join(map(str, seeds))
