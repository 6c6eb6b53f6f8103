"""The models of an experiment, and the answers of their runs.

The runs of an experiment are `MODEL/seed-N` below its folder: runs of a study, or run
folders with answers_*.npz.
"""

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.seed_pairs import (
    MeasuredRun,
    list_seeds,
    pair_by_seed,
    stack_values,
)
from dsa.evaluation.study_answers import find_answers
from dsa.runs.studies import list_runs

DIGEST = "answers_sha256"  # in metrics.json
AND = " + "
TOGETHER = ("dev", "dev_mismatched")  # both dev sets of MultiNLI


class AnsweredModels:
    """The models of an experiment, whose answers are read once.

    Args:
        folder: of the experiment.
    """

    def __init__(self, folder):
        self.folder, self._read, self._values = folder, {}, {}
        self._runs = {}
        for run in list_runs(folder):
            if run.path.parents[1] == folder:
                self._runs.setdefault(run.path.parent.name, []).append(run)

    def list_models(self):
        """Returns the names of the models, sorted."""
        return sorted(self._runs)

    def _find_runs(self, model):
        if model not in self._runs:
            raise InputError(f"{self.folder / model}: no runs seed-*")
        return self._runs[model]

    def list_splits(self, models):
        """The evaluations of which all runs of some models have answers."""
        runs = [run for model in models for run in self._find_runs(model)]
        return sorted(set.intersection(*(set(list_answered(run)) for run in runs)))

    def read(self, model, split):
        """The `MeasuredRun`s of a model."""
        key = model, split
        if key not in self._read:
            self._read[key] = [
                measure_run(run, split) for run in self._find_runs(model)
            ]
        return self._read[key]

    def pair(self, first, other, split):
        """The runs of two models with the seeds that both have, seed by seed."""
        sides = [self.read(model, split) for model in (first, other)]
        seeds = [{run.experiment.seed for run in side} for side in sides]
        both = set.intersection(*seeds)
        if not both:
            raise InputError(f"{self.folder}: {first} and {other} have no common seed")
        return pair_by_seed(
            *([run for run in side if run.experiment.seed in both] for side in sides)
        )

    def read_pair(self, first, other, split):
        """What two models answered, with the seeds that both have.

        Args:
            first, other: names of models.
            split: the name of an evaluation, or several that are taken as one.

        Returns: `(first's values, other's, lengths, seeds)`: the values of units, each
            `{metric: (S, U)}`, the tokens of the longest sentence of each row, and the
            seeds in words.
        """
        parts = [self.pair(first, other, part) for part in split.split(AND)]
        values = []
        for sides in zip(*parts, strict=True):
            stacked = [self._stack_values(side) for side in sides]
            values.append({m: np.hstack([v[m] for v in stacked]) for m in stacked[0]})
        lengths = np.hstack([side[0].answers.lengths for side, _ in parts])
        return *values, lengths, list_seeds(parts[0][0])

    def _stack_values(self, runs):
        """Returns `{metric: (S, U)}`; the values of each run are computed once."""
        values = []
        for run in runs:
            key = run.run.path, run.answers.split
            if key not in self._values:
                self._values[key] = stack_values([run])
            values.append(self._values[key])
        return {m: np.vstack([v[m] for v in values]) for m in values[0]}


def measure_run(run, split):
    """Returns the `MeasuredRun` of a run.

    Raises: `InputError` without answers for the split.
    """
    answers = find_answers(run, split)
    if answers is None:
        raise InputError(f"{run.path}: the answers for {split} are missing")
    return MeasuredRun(run, run.experiment(), answers)


def list_answered(run):
    """`{evaluation: its last entry in metrics.json}` of those with answers."""
    return {entry["split"]: entry for entry in run.metrics() if DIGEST in entry}
