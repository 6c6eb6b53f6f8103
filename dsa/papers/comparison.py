"""Compares a paper's table with what our runs reached."""

import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dsa.data.corpora.catalogue import corpus_named
from dsa.papers.compared_row import ComparedRow, Costs, MeasuredValue, Training
from dsa.papers.paper_table import Measure, PublishedNumber, Table
from dsa.papers.presets import FULL
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import read_evaluations


def compare_rows(
    table: Table,
    runs: Mapping[str, Iterable[RunFolder]],
    root: str | Path,
    preset: str = FULL,
) -> list[ComparedRow]:
    """Compares every row of a table with the paper, in the table's order.

    Args:
        runs: finished runs by the name of their row; a row without any has only the
            paper's numbers. A cross-validation counts if all its folds are there.
        root: the data root. An evaluation of another file than the one that is there
            now does not count.
        preset: that the runs were made with.
    """
    numbers = {}
    for number in table.source.numbers() if table.source else ():
        numbers.setdefault(number.model, []).append(number)
    compared = []
    for row in table.rows:
        published = numbers.get(row.paper_name, [])
        seeds = _group_by_seed(table, runs.get(row.name, []))
        ours = [run for folds in seeds.values() for run in folds]
        entries = [[read_evaluations(run, root) for run in f] for f in seeds.values()]
        tests = [sum(e["split"] == "test" for e in run.metrics()) for run in ours]
        values = {m.name: _measure_value(m, published, entries) for m in table.measures}
        compared.append(
            ComparedRow(
                name=row.name,
                preset=preset,
                training=_describe_training(table.corpus, seeds, ours),
                values=values,
                test_evaluations=max(tests, default=None),
                costs=_count_costs(published, ours),
            )
        )
    return compared


def _group_by_seed(table, runs):
    """`{seed: [run, ...]}`, only of seeds with a run for every fold."""
    seeds = {}
    for run in runs:
        seeds.setdefault(run.experiment().seed, []).append(run)
    folds = table.folds or 1
    return {seed: runs for seed, runs in seeds.items() if len(runs) == folds}


def _describe_training(corpus, seeds, runs):
    facts = [run.environment() for run in runs]
    pairs = {fact["pairs"]["train"] for fact in facts}
    whole = corpus_named(corpus).training_pairs  # `None`: here whole or not at all
    share = min(pairs, default=0) / whole if whole else 1
    return Training(
        pairs=_shared_or_all(pairs),
        mixed_pairs=_shared_or_all({fact["pairs"].get("mix", 0) for fact in facts}),
        share=share if runs else None,
        selected_on_test=any(run.experiment().data.select_on_test for run in runs),
        vectors=_shared_or_all({_describe_vectors(run.experiment()) for run in runs}),
        epochs=_shared_or_all({_count_epochs(run) for run in runs} - {None}),
        seeds=tuple(seeds),
        commits=tuple(sorted({name_commit(fact) for fact in facts})),
    )


def _measure_value(
    measure: Measure,
    numbers: list[PublishedNumber],
    entries: list[list[dict[str, dict[str, Any]]]],
) -> MeasuredValue:
    """Compares one measure of a row.

    Args:
        numbers: the row's published numbers; the last one of the measure is taken.
        entries: for each seed a list with the evaluations of each fold's run.
    """
    metric = measure.metric
    printed = (metric.paper_name, measure.paper_split)
    published = [n for n in numbers if (n.metric, n.split) == printed]
    split = next((s for s in measure.splits if _is_same_file(entries, s)), None)
    folds = [[fold[split] for fold in folds] for folds in entries] if split else []
    errors = [e[metric.error] for seed in folds for e in seed if metric.error]
    return MeasuredValue(
        paper=published[-1].value if published else None,
        paper_text=published[-1].text if published else None,
        seeds=tuple(_average_folds(metric, seed) for seed in folds),
        split=split,
        rows=sum(e.get(metric.unit, e["count"]) for e in folds[0]) if folds else None,
        compared=measure.compared and measure.is_papers_split(split),
        unit=metric.unit,
        error=metric.scale * statistics.mean(errors) if errors else None,
    )


def _average_folds(metric, entries):
    """The value of one seed: over all rows of its folds, usually only one."""
    count = sum(entry["count"] for entry in entries)
    mean = sum(entry[metric.key] * entry["count"] for entry in entries) / count
    return mean * metric.scale


def _is_same_file(entries, split):
    """Whether every run was evaluated on a split, and on the same file."""
    files = {
        fold[split].get("sha256") if split in fold else None
        for folds in entries
        for fold in folds
    }
    return len(files) == 1 and None not in files


def _count_costs(numbers, runs):
    facts = [run.environment() for run in runs]
    parameters = {fact["parameters"]["trainable_without_embeddings"] for fact in facts}
    return Costs(
        paper_parameters=_last_known(number.params_millions for number in numbers),
        parameters=_shared_or_all(parameters),
        paper_epoch_seconds=_last_known(n.seconds_per_epoch for n in numbers),
        epoch_seconds=_median(
            run.environment()["seconds_per_epoch"] for run in runs if _count_epochs(run)
        ),
        wall_seconds=_median(fact["wall_seconds"] for fact in facts),
        device=_shared_or_all({fact["device"] for fact in facts}),
    )


def _last_known(values):
    known = [value for value in values if value is not None]
    return known[-1] if known else None


def _count_epochs(run):
    """Passes over the training data; `None` for a model that is fitted without any."""
    if not run.experiment().family.has_epochs:
        return None
    facts = run.environment()
    return round(facts["steps"] / facts["steps_per_epoch"], 1)


def _shared_or_all(values):
    """The value that all runs share; where they differ, a text with all of them."""
    if len(values) < 2:
        return min(values, default=None)
    return " / ".join(map(str, sorted(values)))


def _median(values):
    values = list(values)
    return statistics.median(values) if values else None


def _describe_vectors(experiment):
    if not experiment.family.has_word_vectors:
        return "no vectors"
    embedding = experiment.embedding
    text = f"{embedding.units}-d vectors"
    if embedding.projection:
        text += f" projected to {embedding.projection}"
    return text


def name_commit(facts: Mapping[str, Any]) -> str:
    """Returns the commit that a number was measured with, shortened, and whether the
    code had changes that were not committed; for a training that was resumed with other
    code, the commits of all parts.

    Args:
        facts: of a run or a measurement, with what `environment.commit` gives.

    Returns: such as "0123456", "0123456 + changes", "0123456 then 789abcd" or
        "unknown".
    """
    names = []
    for part in [*facts.get("earlier_parts", []), facts]:
        changes = " + changes" if part.get("uncommitted_changes") else ""
        commit = part["commit"]
        names.append("unknown" if commit is None else str(commit)[:7] + changes)
    return " then ".join(dict.fromkeys(names))
