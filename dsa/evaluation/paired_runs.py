"""Two models on the same rows: how much they differ, over seeds and rows."""

import dataclasses
import html
from collections.abc import Sequence
from pathlib import Path

from dsa.evaluation.answers import pack_answers
from dsa.evaluation.seed_pairs import (
    MeasuredRun,
    list_seeds,
    pair_by_seed,
    stack_values,
)
from dsa.evaluation.study_answers import find_answers
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import describe_differences, name_runs
from dsa.system.folders import data_root
from dsa.system.text_tables import html_table
from dsa.tasks.bootstrap import LEVEL
from dsa.tasks.seed_comparison import SeedComparison, compare_over_seeds

PER_CENT = f"{100 * LEVEL:.0f} %"


@dataclasses.dataclass(frozen=True, repr=False)
class ModelComparison:
    """How much two models differ. Printed, it is what `dsa compare` shows.

    Attributes:
        differences: the settings in which they differ, as lines of text.
        heading: which runs were compared on which rows.
        metrics: `{metric: SeedComparison}`, of each that is a mean over units.
        unit: of the rows, such as "pairs".
    """

    differences: list[str]
    heading: str
    metrics: dict[str, SeedComparison]
    unit: str

    def __repr__(self) -> str:
        lines = [
            f"  {metric:8} {describe_comparison(result, self.unit)}"
            for metric, result in self.metrics.items()
        ]
        return "\n".join([*self.differences, self.heading, *lines])

    def _repr_html_(self) -> str:
        """Returns the comparison as a table, for a notebook."""
        rows = []
        for metric, result in self.metrics.items():
            means = [f"{result.first:.4f}", f"{result.other:.4f}"]
            difference = f"{result.difference:+.4f}"
            limits = _describe_limits(result)
            rows.append([metric, *means, difference, limits, _name_verdict(result)])
        header = ["metric", "first", "other", "difference"]
        header += [_name_interval(next(iter(self.metrics.values()))), "verdict"]
        return f"<p>{html.escape(self.heading)}</p>{html_table(header, rows)}"


def compare_models(
    first: Sequence[RunFolder],
    other: Sequence[RunFolder],
    split: str = "dev",
    vectors: str | Path | None = None,
    root: Path | str | None = None,
) -> ModelComparison:
    """Compares the runs of two models seed by seed on the same units: rows, or the
    questions of a ranking.

    The answers that a run keeps (`evaluate --keep-answers`) are taken, without its
    corpus and Keras; a run without is evaluated, and that is recorded.

    Args:
        split: of the runs' configs.
        vectors: vector file for words that the runs lack; then all are evaluated.
        root: data root.

    Raises: `InputError` for runs of different tasks or seeds, and for splits with other
        rows.
    """
    entries = []  # of evaluations, recorded after all have succeeded
    sides = [
        [_measure(run, split, vectors, root, entries) for run in runs]
        for runs in (first, other)
    ]
    sides = pair_by_seed(*sides)
    for run, entry in entries:
        run.add_metrics(entry)
    values, of_other = map(stack_values, sides)
    runs = [run for side in sides for run in side]
    first_name, other_name = name_runs([side[0].run for side in sides])
    return ModelComparison(
        differences=describe_differences(runs, len(first)),
        heading=f"{split}: {runs[0].answers.file}, {other_name} minus {first_name}, "
        f"seed by seed: {list_seeds(sides[0])}",
        metrics={
            metric: compare_over_seeds(of_first, of_other[metric])
            for metric, of_first in values.items()
        },
        unit=runs[0].experiment.task.unit,
    )


def _measure(run, split, vectors, root, entries):
    """The `MeasuredRun` of a `RunFolder`; an evaluation is added to `entries`."""
    answers = find_answers(run, split) if vectors is None else None
    if answers is not None:
        return MeasuredRun(run, run.experiment(), answers)

    from dsa.backends.device_check import log_device
    from dsa.evaluation.evaluate import evaluate_split
    from dsa.evaluation.splits import find_split
    from dsa.inference.loading import load

    root = data_root(root)
    trained = load(run, vectors, root)
    if not entries:  # once for all runs
        log_device()
    found = find_split(trained, root, split)
    entry, logits = evaluate_split(trained, *found)
    entries.append((trained.run, entry))
    answers = pack_answers(trained.task, found.prepared, logits, entry)
    return MeasuredRun(trained.run, trained.experiment, answers)


def describe_comparison(result: SeedComparison, unit: str) -> str:
    """Describes a comparison over units, such as "pairs", in a line."""
    count, seeds = f"{result.units:,} {unit}", len(result.by_seed)
    difference = f"difference {result.difference:+.4f}"
    if seeds > 1:
        by_seed = ", ".join(f"{value:+.4f}" for value in result.by_seed)
        difference = f"{difference} (by seed {by_seed})"
        count = f"{seeds} seeds, {count}"
    return (
        f"{result.first:.4f}, {result.other:.4f}, {difference}; "
        f"{_name_interval(result)}: {_describe_limits(result)} ({count}): "
        f"{_name_verdict(result)}"
    )


def _name_interval(result):
    return f"{PER_CENT}, over {'rows' if result.by_t is None else 'seeds and rows'}"


def _describe_limits(result):
    low, high = result.interval
    return f"{low:+.4f} to {high:+.4f}"


def _name_verdict(result):
    if result.by_t is None:
        return "one seed, other seeds may differ"
    return "significant" if result.is_significant else "not significant"
