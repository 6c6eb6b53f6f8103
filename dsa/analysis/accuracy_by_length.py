"""Measures the accuracy by sentence length.

The length of a pair is the average length of its sentences.

Axes: N pairs or single sentences, S distinct sentences, T sentences per row.

Reference: Im & Cho 2017, figures 5 and 6; Shen et al. 2018, figure 5.
"""

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest

EDGES = (5, 10, 15, 20, 25)  # tokens; Im & Cho discuss sentences above 25

Row = dict[str, Any]  # see `measure_by_length`


def compute_average_lengths(lengths: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """Computes the average sentence length of each row.

    Args:
        lengths: `(S,)`, number of tokens of each distinct sentence.
        texts: `(N, T)`, index of each sentence of a row in `lengths`.

    Returns: float array `(N,)`, in tokens.
    """
    return lengths[texts].mean(axis=1)


def make_buckets(
    lengths: np.ndarray, edges: Iterable[float] = EDGES
) -> list[tuple[str, np.ndarray]]:
    """Assigns pairs to length buckets.

    Args:
        lengths: `(N,)`, number of tokens.
        edges: inclusive upper bounds in tokens, in ascending order. An additional
            bucket contains all longer pairs.

    Returns: `[(name, bool (N,)), ...]`, the shortest pairs first.

    Example:
        >>> lengths = np.array([3, 5, 7, 40])
        >>> buckets = make_buckets(lengths, (5, 10))
        >>> [(name, int(inside.sum())) for name, inside in buckets]
        [('0 to 5', 2), ('5 to 10', 1), ('above 10', 1)]
    """
    bounds = [0, *edges, np.inf]
    buckets = []
    for low, high in itertools.pairwise(bounds):
        name = f"above {low:g}" if high == np.inf else f"{low:g} to {high:g}"
        buckets.append((name, (lengths > low) & (lengths <= high)))
    return buckets


def measure_by_length(
    lengths: np.ndarray,
    correct: Mapping[str, np.ndarray],
    edges: Iterable[float] = EDGES,
) -> list[Row]:
    """Measures the accuracy in each bucket, and compares each run with the first run.

    Args:
        lengths: `(N,)`, see `compute_average_lengths`.
        correct: `{run name: bool (N,)}`, true for correct predictions.
        edges: see `make_buckets`.

    Returns: a dictionary for each bucket and run. The last bucket, "all", contains all
        pairs. The keys are

        - `bucket`: name of the bucket, in tokens
        - `run`: name of the run
        - `pairs`: number of pairs
        - `right`: number of correct predictions
        - `accuracy`, `low`, `high`: accuracy with its 95 % Wilson interval
        - `difference`: accuracy minus the accuracy of the first run
        - `only_first`, `only_this`: numbers of pairs for which only the first run, or
          only this run, is correct
        - `p`: p-value of McNemar's exact test, two-sided
        - `p_holm`: p-value with Holm's correction for the number of buckets; equal to
          `p` for the bucket "all"

        The accuracy and its interval are `None` for an empty bucket. The comparisons
        are `None` for an empty bucket and for the first run.

    Example:
        >>> correct = {"dsa": np.array([True, False])}
        >>> rows = measure_by_length(np.array([3, 7]), correct, edges=(5,))
        >>> [(row["bucket"], row["accuracy"]) for row in rows]
        [('0 to 5', 1.0), ('above 5', 0.0), ('all', 0.5)]
    """
    buckets = [*make_buckets(lengths, edges), ("all", np.ones(len(lengths), bool))]
    rows = []
    for name, inside in buckets:
        rows += _measure_bucket(name, inside, correct)
    for run in correct:
        tested = [row for row in rows if row["run"] == run and row["p"] is not None]
        bucket_rows = [row for row in tested if row["bucket"] != "all"]
        p_values = [row["p"] for row in bucket_rows]
        for row, p_holm in zip(bucket_rows, correct_by_holm(p_values), strict=True):
            row["p_holm"] = p_holm
        for row in tested:
            if row["bucket"] == "all":
                row["p_holm"] = row["p"]
    return rows


def _measure_bucket(name, inside, correct):
    """Returns the rows of one bucket, with `p_holm` set to `None`.

    Args:
        name: name of the bucket.
        inside: bool `(N,)`, true for the pairs of the bucket.
        correct: see `measure_by_length`.
    """
    rows = []
    first_run = next(iter(correct), None)
    for run, run_correct in correct.items():
        row = {"bucket": name, "run": run, **_measure_accuracy(run_correct[inside])}
        row |= dict.fromkeys(("difference", "only_first", "only_this", "p", "p_holm"))
        if run != first_run and inside.any():
            row |= _compare_with_first(correct[first_run][inside], run_correct[inside])
        rows.append(row)
    return rows


def correct_by_holm(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values for the number of tests, with the method of Holm (1979).

    Example:
        >>> correct_by_holm([0.25, 0.5])
        [0.5, 0.5]
    """
    corrected = [1.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(np.argsort(p_values)):
        largest = max(largest, (len(p_values) - rank) * p_values[position])
        corrected[position] = min(1.0, largest)
    return corrected


def _measure_accuracy(correct):
    """Returns the accuracy of predictions and its 95 % Wilson interval.

    Args:
        correct: bool array, true for correct predictions.
    """
    count = int(correct.sum())
    total = len(correct)
    if not total:
        return {"pairs": 0, "right": 0, "accuracy": None, "low": None, "high": None}
    low, high = binomtest(count, total).proportion_ci(method="wilson")
    return {
        "pairs": total,
        "right": count,
        "accuracy": count / total,
        "low": float(low),
        "high": float(high),
    }


def _compare_with_first(first, other):
    """Compares two runs by McNemar's exact test.

    Under the null hypothesis, each run is correct for half of the pairs for which
    exactly one of the two runs is correct.

    Args:
        first, other: bool `(N,)`, true for correct predictions of the run.
    """
    only_first = int((first & ~other).sum())
    only_other = int((other & ~first).sum())
    discordant = only_first + only_other
    return {
        "difference": (only_other - only_first) / len(first),
        "only_first": only_first,
        "only_this": only_other,
        "p": binomtest(only_other, discordant).pvalue if discordant else 1.0,
    }


def describe_rows(
    rows: Sequence[Row], name: str, settings: Collection[str] = (), unit: str = "pairs"
) -> str:
    """Formats the rows of `measure_by_length` as a table and a list of differences.

    Args:
        rows: the rows returned by `measure_by_length`.
        name: name of the evaluated file.
        settings: config keys of the settings that differ between the runs.
        unit: "pairs" or "sentences".
    """
    length = "average length of a pair" if unit == "pairs" else "length"
    lines = [f"{name}: accuracy in per cent by {length}, in tokens", ""]
    if settings:
        lines += [f"The runs differ in {', '.join(settings)}.", ""]
    for row in rows:
        bucket, pairs = row["bucket"], row["pairs"]
        lines.append(
            f"  {bucket:>12}  n = {pairs:<6,} {_format_accuracy(row):24} {row['run']}"
        )
    differences = [
        _describe_difference(row, unit) for row in rows if row["difference"] is not None
    ]
    if differences:
        first = rows[0]["run"]
        lines += [
            "",
            f"Compared with {first} on the same {unit} (McNemar's exact test, with",
            "Holm's correction for the number of buckets). Each run is a single",
            "training, so p-values apply to these trainings and not to other seeds:",
            "",
            *differences,
        ]
    return "\n".join(lines) + "\n"


def _format_accuracy(row):
    """Formats an accuracy and its interval in per cent; "-" for an empty bucket."""
    if row["accuracy"] is None:
        return "-"
    accuracy, low, high = (100 * row[key] for key in ("accuracy", "low", "high"))
    return f"{accuracy:.2f} ({low:.2f}-{high:.2f})"


def _describe_difference(row, unit):
    """Returns a sentence about the difference of a run from the first run."""
    count = row["pairs"]
    is_overall = row["bucket"] == "all"
    bucket = f"{row['bucket']} tokens ({count:,} {unit})"
    if is_overall:
        bucket = f"All {count:,} {unit}"
    sentence = (
        f"{bucket}: {row['run']} {100 * row['difference']:+.2f} points; "
        f"{row['only_this']} {unit} are correct only in this run, "
        f"{row['only_first']} only in the first run; p = {row['p']:.2g}"
    )
    return sentence + ("." if is_overall else f", corrected {row['p_holm']:.2g}.")
