"""Comparison of a paper's table with our runs, as flat records."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dsa.data.corpora.catalogue import get_corpus
from dsa.papers.paper_numbers import PublishedNumber
from dsa.papers.presets import FULL
from dsa.papers.table import Measure, Metric, Table
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import read_evaluations
from dsa.system.text_tables import format_csv

Record = dict[str, Any]
Entry = dict[str, Any]  # evaluation in `metrics.json`


def compare_rows(
    table: Table,
    runs: Mapping[str, Iterable[RunFolder]],
    root: str | Path,
    preset: str = FULL,
) -> list[Record]:
    """Returns a record for each row of a table, in the order of the table.

    All records have the same keys: a description of the training, the values of each
    measure ("test ours", "test paper", ...) and costs. Missing values are `None`.
    Different values of the runs are joined by " / ".

    Args:
        table: the table.
        runs: finished runs by row name. A row without runs contains only the paper's
            numbers.
        root: the data root. Evaluations of files that have changed since are ignored.
        preset: preset of the runs.
    """
    published: dict[str, list[PublishedNumber]] = {}
    for number in table.source.numbers() if table.source else ():
        published.setdefault(number.model, []).append(number)
    records = []
    for row in table.rows:
        numbers = published.get(row.name, []) if row.in_paper else []
        seeds = _group_by_seed(runs.get(row.name, []), table.folds or 1)
        ours = [run for folds in seeds.values() for run in folds]
        evaluations = [
            [read_evaluations(run, root) for run in folds] for folds in seeds.values()
        ]
        record = {"model": row.name, "preset": preset}
        record |= _describe_training(table.corpus, ours)
        for measure in table.measures:
            record |= _compare_measure(measure, numbers, evaluations)
        records.append(record | _list_costs(numbers, ours))
    return records


def records_to_csv(records: Sequence[Record]) -> str:
    """Returns records as CSV text. The items of a list are separated by spaces."""
    lines = []
    for record in records:
        line = dict(record)
        for key, value in record.items():
            if isinstance(value, list):
                line[key] = " ".join(map(str, value))
        lines.append(line)
    return format_csv(lines)


def _group_by_seed(runs: Iterable[RunFolder], folds: int) -> dict[int, list[RunFolder]]:
    """Returns `{seed: runs}`, without seeds of incomplete cross-validations."""
    seeds: dict[int, list[RunFolder]] = {}
    for run in runs:
        seeds.setdefault(run.experiment().seed, []).append(run)
    return {seed: runs for seed, runs in seeds.items() if len(runs) == folds}


def _describe_training(corpus: str, runs: list[RunFolder]) -> Record:
    """Describes the training of the runs of a row.

    "share of training pairs" is relative to the official training file, and 1 for a
    corpus without an official size.
    """
    environments = [run.environment() for run in runs]
    experiments = [run.experiment() for run in runs]
    pairs = {environment["pairs"]["train"] for environment in environments}
    mixed_pairs = {environment["pairs"].get("mix", 0) for environment in environments}
    vectors = {_describe_vectors(experiment) for experiment in experiments}
    official = get_corpus(corpus).training_pairs
    share = None
    if runs:
        share = min(pairs) / official if official else 1
    return {
        "training pairs": _join_distinct(pairs),
        "pairs mixed in": _join_distinct(mixed_pairs),
        "partial": None if share is None else share < 1,
        "share of training pairs": share,
        "selected on test": any(
            experiment.data.select_on_test for experiment in experiments
        ),
        "vectors": _join_distinct(vectors),
        "epochs": _join_distinct({_count_epochs(run) for run in runs} - {None}),
        "seeds": list(dict.fromkeys(experiment.seed for experiment in experiments)),
        "commits": sorted({name_commit(environment) for environment in environments}),
    }


def _compare_measure(
    measure: Measure,
    numbers: list[PublishedNumber],
    evaluations: list[list[dict[str, Entry]]],
) -> Record:
    """Compares a measure of a row with the paper.

    The difference is `(ours - paper) / error`. The error is the mean of our standard
    error over the seeds, if the metric has one, else `sqrt(p (100 - p) / n)` with the
    paper's number p in per cent.

    Args:
        measure: the measure.
        numbers: published numbers of the row. The last number of the measure is used.
        evaluations: evaluations of each seed and fold, by split.

    Returns: items of the record: the paper's number as printed, our mean and range over
        the seeds, and the difference in standard errors.
    """
    metric = measure.metric
    paper = None
    for number in numbers:
        if number.metric == metric.paper_name and number.split == measure.paper_split:
            paper = number
    split = _find_common_split(measure, evaluations)
    seeds: list[list[Entry]] = []
    if split:
        seeds = [[fold[split] for fold in folds] for folds in evaluations]
    values = [_average_folds(metric, folds) for folds in seeds]
    mean = statistics.mean(values) if values else None
    rows = None
    if seeds:
        rows = sum(entry.get(metric.unit, entry["count"]) for entry in seeds[0])
    difference = None
    if paper and mean is not None and measure.compared and measure.matches_paper(split):
        if metric.error:
            errors = [entry[metric.error] for folds in seeds for entry in folds]
            error = metric.scale * statistics.mean(errors)
        elif rows:
            error = (paper.value * (100 - paper.value) / rows) ** 0.5
        else:
            error = 0
        if error:
            difference = (mean - paper.value) / error
    name = measure.name
    return {
        f"{name} paper": paper.text if paper else None,
        f"{name} ours": mean,
        f"{name} min": min(values, default=None),
        f"{name} max": max(values, default=None),
        f"{name} standard deviation": (
            statistics.stdev(values) if len(values) > 1 else None
        ),
        f"{name} split": split,
        f"{name} {metric.unit}": rows,
        f"{name} difference": difference,
    }


def _find_common_split(
    measure: Measure, evaluations: list[list[dict[str, Entry]]]
) -> str | None:
    """Returns the first split of a measure with evaluations of one file by all runs."""
    for split in measure.splits:
        files = set()
        for folds in evaluations:
            for fold in folds:
                files.add(fold[split].get("sha256") if split in fold else None)
        if len(files) == 1 and None not in files:
            return split
    return None


def _average_folds(metric: Metric, entries: list[Entry]) -> float:
    """Returns the value of a seed: the mean over the rows of all folds."""
    count = sum(entry["count"] for entry in entries)
    total = sum(entry[metric.key] * entry["count"] for entry in entries)
    return total / count * metric.scale


def _list_costs(numbers: list[PublishedNumber], runs: list[RunFolder]) -> Record:
    """Returns the costs of the paper's model, and of our runs as medians."""
    environments = [run.environment() for run in runs]
    parameters = {
        environment["parameters"]["trainable_without_embeddings"]
        for environment in environments
    }
    test_evaluations = [
        sum(entry["split"] == "test" for entry in run.metrics()) for run in runs
    ]
    epoch_seconds = [
        run.environment()["seconds_per_epoch"] for run in runs if _count_epochs(run)
    ]
    paper_parameters = paper_seconds = None
    for number in numbers:
        if number.params_millions is not None:
            paper_parameters = number.params_millions
        if number.seconds_per_epoch is not None:
            paper_seconds = number.seconds_per_epoch
    return {
        "test evaluations a run": max(test_evaluations, default=None),
        "parameters paper (millions)": paper_parameters,
        "parameters": _join_distinct(parameters),
        "seconds an epoch paper": paper_seconds,
        "seconds an epoch": _median(epoch_seconds),
        "wall seconds": _median(
            [environment["wall_seconds"] for environment in environments]
        ),
        "device": _join_distinct(
            {environment["device"] for environment in environments}
        ),
    }


def _count_epochs(run: RunFolder) -> float | None:
    """Returns the number of trained epochs; `None` for a model without epochs."""
    if not run.experiment().family.has_epochs:
        return None
    environment = run.environment()
    return round(environment["steps"] / environment["steps_per_epoch"], 1)


def _describe_vectors(experiment) -> str:
    if not experiment.family.has_word_vectors:
        return "no vectors"
    embedding = experiment.embedding
    text = f"{embedding.units}-d vectors"
    if embedding.projection:
        text += f" projected to {embedding.projection}"
    return text


def _join_distinct(values: set) -> Any:
    """Returns a single value unchanged, and several values as text; `None` if empty."""
    if len(values) < 2:
        return min(values, default=None)
    return " / ".join(map(str, sorted(values)))


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def name_commit(environment: Mapping[str, Any]) -> str:
    """Returns the abbreviated commit of a measurement.

    Args:
        environment: record with the keys of `environment.commit`, such as the content
            of `environment.json`.

    Returns: "0123456"; "0123456 + changes" for code with uncommitted changes;
        "0123456 then 789abcd" for a run that was resumed with other code; "unknown".
    """
    names = []
    for part in [*environment.get("earlier_parts", []), environment]:
        changes = " + changes" if part.get("uncommitted_changes") else ""
        commit = part["commit"]
        names.append("unknown" if commit is None else str(commit)[:7] + changes)
    return " then ".join(dict.fromkeys(names))
