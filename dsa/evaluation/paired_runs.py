"""Paired comparison of two models over seeds and rows."""

import dataclasses
import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.evaluation.answers import pack_answers
from dsa.evaluation.seed_pairs import (
    MeasuredRun,
    format_seeds,
    pair_by_seed,
    stack_values,
)
from dsa.evaluation.study_answers import find_answers, list_answers
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import describe_differences, name_runs
from dsa.runs.studies import StudyRun
from dsa.system.folders import data_root
from dsa.system.text_tables import format_html_table
from dsa.tasks.bootstrap import CONFIDENCE_LEVEL
from dsa.tasks.seed_comparison import SeedComparison, compare_over_seeds

CONFIDENCE_TEXT = f"{100 * CONFIDENCE_LEVEL:.0f} %"


@dataclasses.dataclass(frozen=True, repr=False)
class ModelComparison:
    """Comparison of two models. The `repr` is the output of `dsa compare`.

    Attributes:
        differences: lines of text that list the settings that differ.
        heading: description of the compared runs and rows.
        metrics: comparison of each metric that is a mean over units, `{metric:
            SeedComparison}`.
        unit: plural name of the units, such as "pairs".
    """

    differences: list[str]
    heading: str
    metrics: dict[str, SeedComparison]
    unit: str

    def __repr__(self) -> str:
        lines = [*self.differences, self.heading]
        for metric, result in self.metrics.items():
            lines.append(f"  {metric:8} {describe_comparison(result, self.unit)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Returns the comparison as an HTML table, for notebooks."""
        rows = []
        for metric, result in self.metrics.items():
            rows.append(
                [
                    metric,
                    f"{result.first:.4f}",
                    f"{result.other:.4f}",
                    f"{result.difference:+.4f}",
                    _format_interval(result),
                    _format_verdict(result),
                ]
            )
        first_result = next(iter(self.metrics.values()))
        interval = _describe_interval(first_result, self.unit)
        header = ["metric", "first", "other", "difference", interval, "verdict"]
        differences = html.escape("\n".join(self.differences))
        heading = html.escape(self.heading)
        table = format_html_table(header, rows)
        return f"<pre>{differences}</pre><p>{heading}</p>{table}"


def compare_models(
    first: Sequence[RunFolder],
    other: Sequence[RunFolder],
    split: str = "dev",
    vectors: str | Path | None = None,
    root: Path | str | None = None,
) -> ModelComparison:
    """Compares the runs of two models that were trained with the same seeds.

    The metrics are means over units: rows, or the questions of a ranking. If the
    answers of a run are stored (`dsa evaluate --keep-answers`), neither its corpus nor
    Keras is required. A run without stored answers is evaluated, and the evaluation is
    recorded.

    Args:
        first: runs of the first model.
        other: runs of the other model, with the same seeds.
        split: name of the split in the configs of the runs.
        vectors: vector file for words outside the vocabularies of the runs. With a
            vector file, stored answers are ignored and all runs are evaluated.
        root: the data root.

    Raises: `InputError` if the runs cannot be paired (`pair_by_seed`), if stored
        answers are damaged (`find_answers`), or if a run cannot be loaded or evaluated.
    """
    # new evaluations, recorded if all evaluations succeed
    entries: list[tuple[RunFolder, dict[str, Any]]] = []
    first_runs = [_measure(run, split, vectors, root, entries) for run in first]
    other_runs = [_measure(run, split, vectors, root, entries) for run in other]
    first_runs, other_runs = pair_by_seed(first_runs, other_runs)
    for run, entry in entries:
        run.try_to_add_metrics(entry)
    first_values = stack_values(first_runs)
    other_values = stack_values(other_runs)
    first_name, other_name = name_runs([first_runs[0].run, other_runs[0].run])
    return ModelComparison(
        differences=describe_differences([*first_runs, *other_runs], len(first)),
        heading=f"{split}: {first_runs[0].answers.file}, "
        f"{other_name} minus {first_name}, seed by seed: {format_seeds(first_runs)}",
        metrics={
            metric: compare_over_seeds(values, other_values[metric])
            for metric, values in first_values.items()
        },
        unit=first_runs[0].experiment.task.unit,
    )


def _measure(run, split, vectors, root, entries):
    """Returns a run with its stored answers, or evaluates the run.

    An evaluated run is appended to `entries`, with the entry of its evaluation.
    """
    if vectors is None:
        answers = find_answers(run, split)
        if answers is not None:
            return MeasuredRun(run, run.experiment(), answers)

    if isinstance(run, StudyRun):
        stored = [s for name, s in list_answers(run.study) if name == run.record["run"]]
        raise InputError(
            f"{run.path}: a run of a study has no weights to evaluate. Splits with "
            f"stored predictions: {', '.join(sorted(stored)) or 'none'}"
        )

    from dsa.backends.device_check import log_device
    from dsa.evaluation.evaluate import evaluate_split
    from dsa.evaluation.splits import find_split
    from dsa.inference.loading import load

    root = data_root(root)
    trained = load(run, vectors, root)
    if not entries:  # first evaluation
        log_device()
    rows = find_split(trained, root, split)
    entry, logits = evaluate_split(trained, rows)
    entries.append((trained.run, entry))
    answers = pack_answers(trained.task, rows.prepared, logits, entry)
    return MeasuredRun(trained.run, trained.experiment, answers)


def describe_comparison(result: SeedComparison, unit: str) -> str:
    """Formats a comparison as a line of text.

    Args:
        result: the comparison.
        unit: plural name of the units, such as "pairs".
    """
    sample = f"{result.units:,} {unit}"
    difference = f"difference {result.difference:+.4f}"
    num_seeds = len(result.by_seed)
    if num_seeds > 1:
        by_seed = ", ".join(f"{value:+.4f}" for value in result.by_seed)
        difference = f"{difference} (by seed {by_seed})"
        sample = f"{num_seeds} seeds, {sample}"
    return (
        f"{result.first:.4f}, {result.other:.4f}, {difference}; "
        f"{_describe_interval(result, unit)}: {_format_interval(result)} ({sample}): "
        f"{_format_verdict(result)}"
    )


def _describe_interval(result, unit):
    """Returns the confidence level and the resampled units, such as "95 % interval over
    seeds and pairs"."""
    resampled = unit if result.by_t is None else f"seeds and {unit}"
    return f"{CONFIDENCE_TEXT} interval over {resampled}"


def _format_interval(result):
    """Returns the limits of the interval as text."""
    low, high = result.interval
    return f"{low:+.4f} to {high:+.4f}"


def _format_verdict(result):
    """Returns whether the difference is significant, as text, or a note if there is
    only one seed."""
    if result.by_t is None:
        return "not tested: only one seed"
    return "significant" if result.is_significant else "not significant"
