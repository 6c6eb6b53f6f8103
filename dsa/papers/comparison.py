"""Records that compare the rows of a paper's table with our runs."""

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
    measure ("test ours", "test paper", ...) and the costs. Missing values are `None`.
    If the runs of a row differ in a value, the values are joined by " / ".

    Args:
        table: the table.
        runs: finished runs by row name. The record of a row without runs contains only
            the paper's numbers.
        root: the data root. Evaluations of files that have changed since are ignored.
        preset: name of the preset of the runs.
    """
    numbers_by_model: dict[str, list[PublishedNumber]] = {}
    if table.source:
        for number in table.source.read_numbers():
            numbers_by_model.setdefault(number.model, []).append(number)
    records = []
    for row in table.rows:
        numbers = numbers_by_model.get(row.name, []) if row.in_paper else []
        runs_by_seed = _group_by_seed(runs.get(row.name, []), table.folds or 1)
        row_runs = []
        evaluations = []
        for seed_runs in runs_by_seed.values():
            row_runs += seed_runs
            evaluations.append([read_evaluations(run, root) for run in seed_runs])
        record = {"model": row.name, "preset": preset}
        record |= _describe_training(table.corpus, row_runs)
        for measure in table.measures:
            record |= _compare_measure(measure, numbers, evaluations)
        record |= _list_costs(numbers, row_runs)
        records.append(record)
    return records


def records_to_csv(records: Sequence[Record]) -> str:
    """Converts records to CSV text. The items of a list are separated by spaces."""
    rows = []
    for record in records:
        row = dict(record)
        for key, value in record.items():
            if isinstance(value, list):
                row[key] = " ".join(map(str, value))
        rows.append(row)
    return format_csv(rows)


def _group_by_seed(runs: Iterable[RunFolder], folds: int) -> dict[int, list[RunFolder]]:
    """Returns `{seed: runs}`. Seeds without a run of each fold are excluded.

    Args:
        runs: the runs of a row.
        folds: number of folds; 1 without cross-validation.
    """
    runs_by_seed: dict[int, list[RunFolder]] = {}
    for run in runs:
        runs_by_seed.setdefault(run.experiment().seed, []).append(run)
    return {
        seed: seed_runs
        for seed, seed_runs in runs_by_seed.items()
        if len(seed_runs) == folds
    }


def _describe_training(corpus: str, runs: list[RunFolder]) -> Record:
    """Returns the items of a record that describe the training of the runs of a row.

    "share of training pairs" is relative to the size of the official training file. It
    is 1 if the corpus has no official size.
    """
    environments = [run.environment() for run in runs]
    experiments = [run.experiment() for run in runs]
    pairs = {environment["pairs"]["train"] for environment in environments}
    mixed_pairs = {environment["pairs"].get("mix", 0) for environment in environments}
    vectors = {
        _describe_vectors(experiment.family, experiment.embedding)
        for experiment in experiments
    }
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
        "commits": sorted({format_commit(environment) for environment in environments}),
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
        evaluations: `{split: evaluation}` of each run, in a list of runs (one per fold)
            for each seed.

    Returns: items of the record: the paper's number as printed, our mean and range over
        the seeds, and the difference in standard errors.
    """
    metric = measure.metric
    paper = None
    for number in numbers:
        if number.metric == metric.paper_name and number.split == measure.paper_split:
            paper = number
    split = _find_common_split(measure, evaluations)
    seed_entries: list[list[Entry]] = []  # evaluations of the folds of each seed
    if split:
        seed_entries = [[run[split] for run in seed_runs] for seed_runs in evaluations]
    values = [_average_folds(metric, entries) for entries in seed_entries]
    mean = statistics.mean(values) if values else None
    sample_size = None
    if seed_entries:
        sample_size = sum(
            entry.get(metric.unit, entry["count"]) for entry in seed_entries[0]
        )
    difference = None
    if paper and mean is not None and measure.compared and measure.matches_paper(split):
        error = 0.0
        if metric.error:
            errors = [
                entry[metric.error] for entries in seed_entries for entry in entries
            ]
            error = metric.scale * statistics.mean(errors)
        elif sample_size:
            error = (paper.value * (100 - paper.value) / sample_size) ** 0.5
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
        f"{name} {metric.unit}": sample_size,
        f"{name} difference": difference,
    }


def _find_common_split(
    measure: Measure, evaluations: list[list[dict[str, Entry]]]
) -> str | None:
    """Returns the first split of a measure on which all runs have evaluated the same
    file, or `None`."""
    for split in measure.splits:
        files = set()
        for folds in evaluations:
            for fold in folds:
                files.add(fold[split].get("sha256") if split in fold else None)
        if len(files) == 1 and None not in files:
            return split
    return None


def _average_folds(metric: Metric, entries: list[Entry]) -> float:
    """Returns the metric of a seed, averaged over the rows of all folds."""
    count = sum(entry["count"] for entry in entries)
    total = sum(entry[metric.key] * entry["count"] for entry in entries)
    return total / count * metric.scale


def _list_costs(numbers: list[PublishedNumber], runs: list[RunFolder]) -> Record:
    """Returns the items of a record with the costs of training.

    Args:
        numbers: published numbers of the row, with the costs of the paper's model.
        runs: runs of the row. Their times are reported as medians.
    """
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
        "test evaluations per run": max(test_evaluations, default=None),
        "parameters paper (millions)": paper_parameters,
        "parameters": _join_distinct(parameters),
        "seconds per epoch paper": paper_seconds,
        "seconds per epoch": _median(epoch_seconds),
        "wall seconds": _median(
            [environment["wall_seconds"] for environment in environments]
        ),
        "device": _join_distinct(
            {environment["device"] for environment in environments}
        ),
    }


def _count_epochs(run: RunFolder) -> float | None:
    """Returns the number of trained epochs, or `None` for a model without epochs."""
    if not run.experiment().family.has_epochs:
        return None
    environment = run.environment()
    return round(environment["steps"] / environment["steps_per_epoch"], 1)


def _describe_vectors(family, embedding) -> str:
    if not family.has_word_vectors:
        return "no vectors"
    text = f"{embedding.units}-d vectors"
    if embedding.projection:
        text += f" projected to {embedding.projection}"
    return text


def _join_distinct(values: set) -> Any:
    """Returns the value of a set, several values joined as text, or `None` if empty."""
    if len(values) < 2:
        return min(values, default=None)
    return " / ".join(map(str, sorted(values)))


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def format_commit(environment: Mapping[str, Any]) -> str:
    """Returns the abbreviated commit of a measurement.

    Args:
        environment: record with the keys of `environment.describe_commit`, such as the
            content of `environment.json`.

    Returns: a commit such as "0123456"; "0123456 + changes" for code with uncommitted
        changes; "0123456 then 789abcd" for a run that was resumed with other code;
        "unknown" without a commit.
    """
    names = []
    for part in [*environment.get("earlier_parts", []), environment]:
        if part["commit"] is None:
            name = "unknown"
        else:
            name = str(part["commit"])[:7]
            if part.get("uncommitted_changes"):
                name += " + changes"
        names.append(name)
    return " then ".join(dict.fromkeys(names))
