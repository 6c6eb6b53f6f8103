"""A paper's table beside what our runs reached."""

import statistics

from dsa.data.corpora.catalogue import corpus_named
from dsa.papers.commit_name import name_commit
from dsa.papers.compared_row import ComparedRow, Costs, MeasuredValue, Training
from dsa.papers.presets import FULL
from dsa.sweeps.finished_runs import read_evaluations


def compare_rows(table, runs, root, preset=FULL):
    """Compare every row of a table with the paper.

    Args:
        table: a `Table`.
        runs: `{row name: [RunFolder, ...]}`, finished runs; a row without any has only
            the paper's numbers. A cross-validation counts if all its folds are there.
        root: the data root. An evaluation of another file than the one that is there
            now does not count.
        preset: that the runs were made with.

    Returns: a list of `ComparedRow`, in the table's order.
    """
    numbers = {}
    for number in table.paper_numbers():
        numbers.setdefault(number.model, []).append(number)
    return [
        _compare_row(
            table,
            row,
            numbers.get(row.paper_name, []),
            _group_by_seed(table, runs.get(row.name, [])),
            root,
            preset,
        )
        for row in table.rows
    ]


def _group_by_seed(table, runs):
    """`{seed: [run, ...]}`, only of seeds with a run for every fold."""
    seeds = {}
    for run in runs:
        seeds.setdefault(run.experiment().seed, []).append(run)
    folds = table.folds or 1
    return {seed: runs for seed, runs in seeds.items() if len(runs) == folds}


def _compare_row(table, row, numbers, seeds, root, preset):
    runs = [run for folds in seeds.values() for run in folds]
    entries = [[read_evaluations(run, root) for run in f] for f in seeds.values()]
    tests = [_count_test_evaluations(run) for run in runs]
    return ComparedRow(
        name=row.name,
        preset=preset,
        training=_describe_training(table.corpus, seeds, runs),
        values={
            measure.name: _measure_value(measure, numbers, entries)
            for measure in table.measures
        },
        test_evaluations=max(tests, default=None),
        costs=_count_costs(numbers, runs),
    )


def _count_test_evaluations(run):
    return sum(entry["split"] == "test" for entry in run.metrics())


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


def _measure_value(measure, numbers, entries):
    """The `MeasuredValue` of a row.

    Args:
        measure: the `Measure`.
        numbers: the row's `PublishedNumber`s.
        entries: for each seed a list with the evaluations of each fold's run.
    """
    split = next((s for s in measure.splits if _is_same_file(entries, s)), None)
    published = _find_published(measure, numbers)
    return MeasuredValue(
        paper=published.value if published else None,
        paper_text=published.text if published else None,
        seeds=tuple(_average_folds(measure, split, folds) for folds in entries)
        if split
        else (),
        split=split,
        rows=_count_units(measure, split, entries[0]) if split else None,
        compared=measure.compared,
        unit=measure.metric.unit,
        error=_average_errors(measure, split, entries) if split else None,
    )


def _count_units(measure, split, folds):
    parts = [fold[split] for fold in folds]
    return sum(part.get(measure.metric.unit, part["count"]) for part in parts)


def _average_errors(measure, split, entries):
    """The standard error of ours, the mean over the seeds; `None` where the metric has
    none of its own."""
    key = measure.metric.error
    if key is None:
        return None
    errors = [fold[split][key] for folds in entries for fold in folds]
    return measure.metric.scale * statistics.mean(errors)


def _find_published(measure, numbers):
    """The last `PublishedNumber` of a measure, `None` if there is none."""
    published = [
        number
        for number in numbers
        if (number.metric, number.split)
        == (measure.metric.paper_name, measure.paper_split)
    ]
    return published[-1] if published else None


def _average_folds(measure, split, folds):
    """The value of one seed: over all rows of its folds, of which there is mostly
    one."""
    parts = [fold[split] for fold in folds]
    count = sum(part["count"] for part in parts)
    metric = measure.metric
    mean = sum(part[metric.key] * part["count"] for part in parts) / count
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
    if not run.experiment().family.is_network:
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
    if not experiment.family.is_network:
        return "no vectors"
    embedding = experiment.embedding
    text = f"{embedding.units}-d vectors"
    if embedding.projection:
        text += f" projected to {embedding.projection}"
    return text
