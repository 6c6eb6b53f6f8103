"""Stored answers of the models of an experiment.

The runs of an experiment are `MODEL/seed-N` below its folder, either runs of a study or
run folders with answers_*.npz.
"""

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.seed_pairs import (
    MeasuredRun,
    format_seeds,
    pair_by_seed,
    stack_values,
)
from dsa.evaluation.study_answers import find_answers
from dsa.runs.studies import list_runs

DIGEST = "answers_sha256"  # key of an entry in metrics.json
AND = " + "
TOGETHER = ("dev", "dev_mismatched")  # both dev sets of MultiNLI


class AnsweredModels:
    """Answers of the models of an experiment. Each file is read only once.

    Args:
        folder: folder of the experiment.
        results: folder of all results. A model name with a slash is a model of another
            experiment, the path of its folder below `results`.
    """

    def __init__(self, folder, results=None):
        self.folder = folder
        self.results = results
        self._measured_runs = {}  # by model and split
        self._values = {}  # by path of the run and split
        self._runs = {}  # by folder of an experiment, then by model

    def list_models(self):
        """Returns the names of the models of the experiment, sorted."""
        return sorted(self._list_runs(self.folder))

    def _list_runs(self, folder):
        if folder not in self._runs:
            runs = self._runs[folder] = {}
            for run in list_runs(folder):
                if run.path.parents[1] == folder:
                    runs.setdefault(run.path.parent.name, []).append(run)
        return self._runs[folder]

    def _find_runs(self, model):
        path = (self.results if "/" in model else self.folder) / model
        runs = self._list_runs(path.parent)
        if path.name not in runs:
            raise InputError(f"{path}: no runs seed-*")
        return runs[path.name]

    def list_splits(self, models):
        """Returns the evaluations for which all runs of some models have answers."""
        runs = [run for model in models for run in self._find_runs(model)]
        return sorted(set.intersection(*(set(list_answered(run)) for run in runs)))

    def read(self, model, split):
        """Returns the `MeasuredRun`s of a model on a split."""
        key = model, split
        if key not in self._measured_runs:
            self._measured_runs[key] = [
                measure_run(run, split) for run in self._find_runs(model)
            ]
        return self._measured_runs[key]

    def pair(self, first, other, split):
        """Returns the runs of two models with their common seeds, paired by seed."""
        first_runs, other_runs = self.read(first, split), self.read(other, split)
        first_seeds = {run.experiment.seed for run in first_runs}
        other_seeds = {run.experiment.seed for run in other_runs}
        common = first_seeds & other_seeds
        if not common:
            raise InputError(f"{self.folder}: {first} and {other} have no common seed")
        return pair_by_seed(
            [run for run in first_runs if run.experiment.seed in common],
            [run for run in other_runs if run.experiment.seed in common],
        )

    def read_pair(self, first, other, split):
        """Returns the metric values of two models for their common seeds.

        Args:
            first: name of a model.
            other: name of another model.
            split: name of an evaluation, or several names joined by `AND`, whose rows
                are concatenated.

        Returns: `(first values, other values, lengths, seeds)`: values of the units of
            both models, `{metric: (S, U)}`; number of tokens in the longest sentence of
            each row; the seeds as text.
        """
        parts = [self.pair(first, other, part) for part in split.split(AND)]
        values = []
        for model_parts in zip(*parts, strict=True):
            stacked = [self._stack_values(runs) for runs in model_parts]
            values.append({m: np.hstack([v[m] for v in stacked]) for m in stacked[0]})
        lengths = np.hstack([runs[0].answers.lengths for runs, _ in parts])
        first_values, other_values = values
        return first_values, other_values, lengths, format_seeds(parts[0][0])

    def _stack_values(self, runs):
        """Returns `{metric: (S, U)}`. The values of each run are computed only once."""
        values = []
        for run in runs:
            key = run.run.path, run.answers.split
            if key not in self._values:
                self._values[key] = stack_values([run])
            values.append(self._values[key])
        return {m: np.vstack([v[m] for v in values]) for m in values[0]}


def measure_run(run, split):
    """Returns the `MeasuredRun` of a run on a split.

    Raises: `InputError` for missing answers.
    """
    answers = find_answers(run, split)
    if answers is None:
        raise InputError(f"{run.path}: the answers for {split} are missing")
    return MeasuredRun(run, run.experiment(), answers)


def list_answered(run):
    """Returns the evaluations of a run with answers: `{name: last entry}`."""
    return {entry["split"]: entry for entry in run.metrics() if DIGEST in entry}
