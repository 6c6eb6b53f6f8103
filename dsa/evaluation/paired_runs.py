"""Two models on the same rows: how much they differ, and if that is significant."""

import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.evaluate import evaluate_split, record_all
from dsa.evaluation.splits import find_split
from dsa.experiment.run_names import describe_differences
from dsa.inference.loading import load
from dsa.inference.row_reading import list_groups
from dsa.system.folders import data_root
from dsa.tasks.bootstrap import LEVEL, RESAMPLES, compare_paired


def compare_models(
    first: Sequence[str],
    other: Sequence[str],
    split: str = "dev",
    vectors: str | None = None,
    root: Path | str | None = None,
) -> str:
    """Evaluates the runs of two models, and compares them on the same units: rows, or
    the questions of a ranking. The value of a unit is the mean over a model's runs.

    Args:
        first, other: lists of run folders.
        split: of the runs' configs.
        vectors: vector file for words that the runs lack.
        root: data root.

    Returns: a text: the settings that differ, and a line for each metric that is a mean
        over units.

    Raises: `InputError` for runs of different tasks, and for splits with other rows.
    """
    comparison = _Comparison(split, vectors, data_root(root))
    of_first, of_other = map(comparison.average_runs, (first, other))
    record_all(comparison.entries)
    settings = describe_differences(comparison.runs, len(first))
    heading = (
        f"{split}: {comparison.name}, {', '.join(map(str, other))} minus "
        f"{', '.join(map(str, first))}"
    )
    lines = [*settings, heading]
    for metric, values in of_first.items():
        result = compare_paired(values, of_other[metric])
        lines.append(_describe_difference(metric, result, comparison.task.unit))
    return "\n".join(lines) + "\n"


class _Comparison:
    """Runs that are measured on the same rows of one split."""

    def __init__(self, split, vectors, root):
        self.split, self.vectors, self.root = split, vectors, root
        self.task: Any = None
        self.rows = self.name = None
        self.runs = []  # without their models
        self.entries = []  # for `record_all`

    def average_runs(self, folders):
        """`{metric: mean over the runs of the value of each unit}`."""
        values = [self._measure_units(folder) for folder in folders]
        return {
            metric: np.mean([of_run[metric] for of_run in values], axis=0)
            for metric in values[0]
        }

    def _measure_units(self, folder):
        trained = load(folder, self.vectors, self.root)
        split, self.name, corpus = find_split(trained, self.root, self.split)
        self._check_same_rows(trained, corpus)
        self.runs.append(types.SimpleNamespace(experiment=trained.experiment))
        entry, logits = evaluate_split(trained, split, self.name, corpus)
        self.entries.append((trained.run, entry))
        labels = corpus.labels[corpus.labelled]
        return trained.task.unit_values(logits, labels, list_groups(corpus))

    def _check_same_rows(self, trained, corpus):
        rows = (corpus.fingerprint, corpus.ids)
        self.task, self.rows = self.task or trained.task, self.rows or rows
        if trained.task != self.task:
            raise InputError(
                f"{trained.run.path}: a run of task '{trained.task.name}', the runs "
                f"before it are of task '{self.task.name}'"
            )
        if rows != self.rows:
            raise InputError(
                f"{trained.run.path}: its split '{self.split}' has other rows than "
                "that of the runs before it"
            )


def _describe_difference(metric, result, unit):
    count = f"{result.units:,} {unit}"
    verdict = (
        f"These {unit} resolve the difference."
        if result.is_significant
        else f"A difference of that size cannot be resolved by these {unit}."
    )
    first = _describe_mean(result.first, result.first_interval)
    other = _describe_mean(result.other, result.other_interval)
    return (
        f"  {metric:8} {first}, {other}, difference {result.difference:+.4f}, "
        f"{100 * LEVEL:.0f} % interval {result.low:+.4f} to {result.high:+.4f} "
        f"(paired bootstrap, {RESAMPLES:,} resamples, {count}), p = {result.p:.2g} "
        f"(randomization test). {verdict}"
    )


def _describe_mean(mean, interval):
    low, high = interval
    return f"{mean:.4f} ({low:.4f} to {high:.4f})"
