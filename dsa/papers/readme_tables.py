"""The papers' numbers beside ours, as Markdown, from the results of our runs."""

import csv
from pathlib import Path

import numpy as np

from dsa.data.corpora.catalogue import corpus_named
from dsa.errors import InputError
from dsa.experiment.yaml_file import parse_yaml
from dsa.papers.comparison import records
from dsa.papers.plans import planned
from dsa.papers.published import paper_value
from dsa.papers.results import configs_below, read_results
from dsa.papers.tables import TABLES as COMPARISONS
from dsa.sweeps.finished_runs import Runs

SEEDS = (13, 14, 15)
TASK_TABLES = (
    "disan-4",
    "disan-5-trec",
    "disan-2",
    "disan-5-cr",
    "disan-5-mpqa",
    "disan-5-subj",
)
PRECISIONS = {  # what was trained on: runs in float32, runs in mixed_bfloat16
    "bundled corpus": ("mini/dsa", "precision/mini"),
    "40,000 SNLI pairs (7 %, **partial**)": ("snli/dsa_40k", "precision/snli_40k"),
}
PAPER_NAMES = {
    "DSA": "Our Distance-based Self-Attention Network",
    "DSA without distance mask": "Our self-attention network (without distance mask)",
}


def snli_table(folder="results/snli"):
    """DSA on SNLI: the paper's test accuracy, and our dev accuracy with the share of
    the training data that it was reached with."""
    lines = [
        "| model | paper: SNLI test | ours: SNLI dev | trained on | vectors | "
        "train accuracy | parameters | seed, commit |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for result in read_results(folder):
        environment, config = result["environment"], result["experiment"]
        pairs = environment["pairs"]["train"]
        dev, train = (result["evaluations"].get(s) for s in ("dev", "train"))
        embedding = config["embedding"]
        vectors = f"{embedding['units']}-d"
        if embedding["projection"]:
            vectors += f", projected to {embedding['projection']}"
        lines.append(
            f"| {_name(config)} | {paper_value(PAPER_NAMES[_name(config)])} % | "
            f"{_percent(dev)} (n = {dev['count']:,}) | "
            f"{_trained_on(pairs)} | "
            f"{vectors} | {_percent(train)} | "
            f"{environment['parameters']['trainable_without_embeddings']:,} | "
            f"{config['seed']}, `{environment['commit'][:7]}` |"
        )
    return "\n".join(lines)


def models_table(folder="results", preset="subset40k"):
    """All models on a part of SNLI, those that have been run, beside their papers'
    test accuracies."""
    table = COMPARISONS["snli-models"]
    runs = _runs(table, preset, folder)
    papers = _paper_accuracies()
    lines = [
        "| model | paper: SNLI test | ours: SNLI dev | trained on | parameters |",
        "|---|---|---|---|---|",
    ]
    rows = {record["model"]: record for record in records(table, runs, folder)}
    for row in table.rows:
        if row.name not in runs:
            continue
        ours = rows[row.name]
        paper = papers.get(_settings(row), "-")
        accuracy, count = ours["dev ours"], ours["dev pairs"]
        error = (accuracy * (100 - accuracy) / count) ** 0.5
        lines.append(
            f"| {row.name} | {paper} | "
            f"{accuracy:.2f} % +- {error:.2f} (n = {count:,}) | "
            f"{_trained_on(ours['training pairs'])} | {ours['parameters']:,} |"
        )
    return "\n".join(lines)


def tasks_table(folder="results", preset="small"):
    """The other tasks, those that have been run, beside DiSAN's paper: the metric that
    selects."""
    lines = [
        "| task | model | metric | DiSAN's paper | ours, test | seeds | vectors |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in TASK_TABLES:
        table = COMPARISONS[name]
        measure, runs = table.measures[0], _runs(table, preset, folder)
        for row in records(table, runs, folder, preset):
            mean, paper = (row[f"{measure.name} {each}"] for each in ("ours", "paper"))
            if mean is None:
                continue
            form = ".2f" if measure.key == "accuracy" else ".3f"
            ours = f"{mean:{form}}"
            if row[f"{measure.name} standard deviation"] is not None:
                ends = (row[f"{measure.name} {end}"] for end in ("min", "max"))
                ours += f" ({'-'.join(format(end, form) for end in ends)})"
            lines.append(
                f"| {table.title.split(' (')[0]} | {row['model']} | {measure.key} | "
                f"{'-' if paper is None else format(paper, 'g')} | "
                f"{ours} (n = {row[f'{measure.name} pairs']:,}) | "
                f"{row['seeds'].replace(' ', ', ')} | {row['vectors']} |"
            )
    return "\n".join(lines)


def _runs(table, preset, folder):
    """`{row name: its runs below a folder}`, of rows that have any."""
    found, runs = Runs(folder, folder), {}
    for row, _, experiment, _ in planned(table, preset, SEEDS):
        if run := found.find(experiment):
            runs.setdefault(row.name, []).append(run)
    return runs


def _paper_accuracies():
    """`{_settings: test accuracy on SNLI and whose table it is of}`, the first table
    that has it."""
    found = {}
    for table in COMPARISONS.values():
        for row in table.rows:
            if table.corpus == "snli" and row.paper_name and row.config:
                value = paper_value(row.paper_name, "test", *table.source)
                found.setdefault(_settings(row), f"{value} %, {table.source[0]}")
    return found


def _settings(row):
    """What a row of a table is, its word vectors apart: config and overrides."""
    return row.config, *(
        (key, str(value))
        for key, value in sorted(row.overrides.items())
        if not key.startswith("embedding.")
    )


def paper_table():
    """What the paper reports of its own models on SNLI, in per cent."""
    lines = ["| SNLI, the paper | train accuracy | test accuracy |", "|---|---|---|"]
    for name, model in PAPER_NAMES.items():
        train, test = (paper_value(model, split=split) for split in ("train", "test"))
        lines.append(f"| {name} | {train} % | {test} % |")
    return "\n".join(lines)


def mini_table(folder="results/mini"):
    """DSA on the bundled corpus, mean and range over seeds, also on the long pairs."""
    runs = {}
    for result in read_results(folder):
        runs.setdefault(_name(result["experiment"]), []).append(result)
    lines = [
        "| model | test | short pairs | long pairs | seeds | test evaluations a run |",
        "|---|---|---|---|---|---|",
    ]
    for name, results in sorted(runs.items()):
        tests = [result["evaluations"]["test"] for result in results]
        groups = [
            [test["by_group"][group]["accuracy"] for test in tests]
            for group in ("short", "long")
        ]
        cells = [_range([test["accuracy"] for test in tests]), *map(_range, groups)]
        seeds = ", ".join(str(result["experiment"]["seed"]) for result in results)
        looks = sorted({result["test_evaluations"] for result in results})
        cells += [seeds, ", ".join(map(str, looks))]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def batches_table(folder="results/batches"):
    """Batches by length beside random ones: dev accuracy by seed, after each epoch."""
    lines = [
        "| batches | seed | dev by epoch | best | seconds an epoch |",
        "|---|---|---|---|---|",
    ]
    best = {}
    for config in configs_below(folder):
        with open(config.parent / "history.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        settings = parse_yaml(config.read_text(encoding="utf-8"), config)
        kind = "by length" if settings["training"]["by_length"] else "random"
        dev = [float(row["val_accuracy"]) for row in rows]
        best.setdefault(kind, []).append(max(dev))
        lines.append(
            f"| {kind} | {settings['seed']} | "
            f"{', '.join(f'{100 * each:.1f} %' for each in dev)} | "
            f"{100 * max(dev):.1f} % | "
            f"{', '.join(format(float(row['seconds']), '.0f') for row in rows)} |"
        )
    differences = np.subtract(best["by length"], best["random"])
    error = differences.std(ddof=1) / len(differences) ** 0.5
    lines.append(
        f"| by length - random | {len(differences)} pairs of runs | | "
        f"{100 * differences.mean():+.1f} +- {100 * error:.1f} points (standard error)"
        " | |"
    )
    return "\n".join(lines)


def precision_table(folder="results"):
    """DSA trained in float32 beside mixed_bfloat16: dev accuracy by seed."""
    lines = [
        "| DSA trained on | seed | dev, float32 | dev, mixed_bfloat16 | difference |",
        "|---|---|---|---|---|",
    ]
    for corpus, folders in PRECISIONS.items():
        wide, narrow = (
            {
                result["experiment"]["seed"]: result["evaluations"]["dev"]
                for result in read_results(Path(folder, each))
            }
            for each in folders
        )
        for seed, dev in narrow.items():
            difference = 100 * (dev["accuracy"] - wide[seed]["accuracy"])
            lines.append(
                f"| {corpus} | {seed} | {_percent(wide[seed])} | {_percent(dev)} | "
                f"{difference:+.2f} points |"
            )
    return "\n".join(lines)


def _name(experiment):
    return "DSA" if experiment["model"]["alpha"] else "DSA without distance mask"


def _trained_on(pairs):
    whole = corpus_named("snli").training_pairs
    text = f"{pairs:,} pairs, {100 * pairs / whole:.0f} %"
    return text if pairs == whole else f"**{text}, partial**"


def _percent(entry):
    if entry is None:
        return "-"
    return f"{100 * entry['accuracy']:.2f} % +- {100 * entry['standard_error']:.2f}"


def _range(shares):
    mean = sum(shares) / len(shares)
    return f"{100 * mean:.1f} % ({100 * min(shares):.1f}-{100 * max(shares):.1f})"


TABLES = {
    "paper": paper_table,
    "snli": snli_table,
    "models": models_table,
    "tasks": tasks_table,
    "mini": mini_table,
    "batches": batches_table,
    "precision": precision_table,
}


def fill(text):
    """A Markdown text with the tables between its `<!-- table: name -->` and
    `<!-- end -->` made anew.

    Raises: `InputError` for a table without end.
    """
    for name, table in TABLES.items():
        begin, end = f"<!-- table: {name} -->\n", "<!-- end -->"
        before, found, rest = text.partition(begin)
        if found:
            old, ended, after = rest.partition(end)
            if not ended or "<!-- table: " in old:
                raise InputError(f"the table '{name}' has no '{end}'")
            text = f"{before}{begin}{table()}\n{end}{after}"
    return text
