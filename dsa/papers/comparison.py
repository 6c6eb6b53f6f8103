"""A paper's table beside what our runs reached, as records."""

import statistics

from dsa.data.corpora.catalogue import corpus_named
from dsa.models.registry import FEATURES
from dsa.sweeps.finished_runs import evaluations


def records(table, runs, root, preset="full"):
    """A table as a list of flat dictionaries, one a row.

    Args:
        table: a `Table`.
        runs: `{row name: [RunFolder, ...]}`, finished runs; rows without any stay
            empty.
        root: the data root; evaluations of other files than those below it do not
            count.
        preset: that the runs were made with, a key of `dsa.papers.presets.PRESETS`.

    Returns: dictionaries with the same keys. Accuracies are in per cent, of a measure
        `m`: `m paper`, `m ours` (mean over seeds; of a cross-validation over all folds'
        rows), `m min`, `m max`, `m standard deviation` (of the seeds, in points),
        `m split` and `m pairs` (what ours was measured on: rows, of all folds),
        and `m difference`, (ours - paper) / sqrt(p (1 - p) / n) with the paper's p
        and our n. `None` is what is not known.
    """
    numbers = _paper_numbers(table)
    runs = {
        name: [run for folds in _by_seed(table, each).values() for run in folds]
        for name, each in runs.items()
    }
    return [
        {
            "model": row.name,
            "preset": preset,
            **_data_facts(table, runs.get(row.name, [])),
            **_accuracies(table, numbers, row, runs.get(row.name, []), root),
            **_costs(numbers.get(row.paper_name, {}), runs.get(row.name, [])),
        }
        for row in table.rows
    ]


def _paper_numbers(table):
    """`{model: {(metric, split): value, "params_millions": ..., ...}}`."""
    numbers = {}
    for row in table.paper_rows():
        model = numbers.setdefault(row["model"], {})
        model[row["metric"], row["split"]] = float(row["value"])
        for name in ("params_millions", "seconds_per_epoch"):
            if row[name]:
                model[name] = float(row[name])
    return numbers


def _data_facts(table, runs):
    facts = [run.environment() for run in runs]
    pairs = [each["pairs"] for each in facts]
    train = {each["train"] for each in pairs}
    whole = corpus_named(table.corpus).training_pairs  # `None`: there whole or not
    share = min(train, default=0) / whole if whole else 1
    return {
        "training pairs": _one(train),
        "pairs mixed in": _one({each.get("mix", 0) for each in pairs}),
        "partial": share < 1 if runs else None,
        "share of training pairs": share if runs else None,
        "selected on test": any(run.experiment().data.select_on_test for run in runs),
        "vectors": _one({_vectors(run.experiment()) for run in runs}),
        "epochs": _one({_epochs(run) for run in runs} - {None}),
        "seeds": " ".join(map(str, _by_seed(table, runs))),
        "commits": " ".join(sorted({str(each["commit"])[:7] for each in facts})),
    }


def _by_seed(table, runs):
    """`{seed: [run, ...]}`, of a cross-validation those with all folds alone."""
    seeds = {}
    for run in runs:
        seeds.setdefault(run.experiment().seed, []).append(run)
    return {s: each for s, each in seeds.items() if len(each) == (table.folds or 1)}


def _accuracies(table, numbers, row, runs, root):
    result, seeds = {}, _by_seed(table, runs)
    entries = [[evaluations(run, root) for run in each] for each in seeds.values()]
    for measure in table.measures:
        model = numbers.get(row.paper_name, {})
        paper = model.get((measure.paper_metric, measure.paper_split))
        evaluated = (s for s in measure.splits if _same_file(entries, s))
        split = next(evaluated, None)
        ours = [_value(each, split, measure) for each in entries] if split else []
        count = sum(fold[split]["count"] for fold in entries[0]) if split else None
        mean = statistics.mean(ours) if ours else None
        result |= {
            f"{measure.name} paper": paper,
            f"{measure.name} ours": mean,
            f"{measure.name} min": min(ours, default=None),
            f"{measure.name} max": max(ours, default=None),
            f"{measure.name} standard deviation": (
                statistics.stdev(ours) if len(ours) > 1 else None
            ),
            f"{measure.name} split": split,
            f"{measure.name} pairs": count,
            f"{measure.name} difference": (
                (mean - paper) / (paper * (100 - paper) / count) ** 0.5
                if ours and paper is not None and measure.compared
                else None
            ),
        }
    tests = [sum(e["split"] == "test" for e in run.metrics()) for run in runs]
    return {**result, "test evaluations a run": max(tests, default=None)}


def _value(folds, split, measure):
    """A seed's measure: over all rows of its folds, of which there is mostly one."""
    parts = [fold[split] for fold in folds]
    count = sum(part["count"] for part in parts)
    mean = sum(part[measure.key] * part["count"] for part in parts) / count
    return mean * (100 if measure.key == "accuracy" else 1)


def _same_file(entries, split):
    """Whether every run was evaluated on a split, and on the same file."""
    files = {
        fold[split].get("sha256") if split in fold else None
        for folds in entries
        for fold in folds
    }
    return len(files) == 1 and None not in files


def _costs(paper, runs):
    facts = [run.environment() for run in runs]
    return {
        "parameters paper (millions)": paper.get("params_millions"),
        "parameters": _one(
            {each["parameters"]["trainable_without_embeddings"] for each in facts}
        ),
        "seconds an epoch paper": paper.get("seconds_per_epoch"),
        "seconds an epoch": _median(
            run.environment()["seconds_per_epoch"] for run in runs if _epochs(run)
        ),
        "wall seconds": _median(each["wall_seconds"] for each in facts),
        "device": _one({each["device"] for each in facts}),
    }


def _epochs(run):
    """Passes over the training data; `None` for what is fitted without any."""
    if run.experiment().model.name in FEATURES:
        return None
    facts = run.environment()
    return round(facts["steps"] / facts["steps_per_epoch"], 1)


def _one(values):
    """The value that all runs share; all of them, as text, where they differ."""
    if len(values) < 2:
        return min(values, default=None)
    return " / ".join(map(str, sorted(values)))


def _median(values):
    values = list(values)
    return statistics.median(values) if values else None


def _vectors(experiment):
    if experiment.model.name in FEATURES:
        return "no vectors"
    embedding = experiment.embedding
    text = f"{embedding.units}-d vectors"
    if embedding.projection:
        text += f" projected to {embedding.projection}"
    return text
