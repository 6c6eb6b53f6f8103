"""A paper's table beside what our runs reached, as records, Markdown and CSV."""

import statistics

from dsa.paper import paper_rows
from dsa.reproduction import evaluations

TRAIN_PAIRS = {"snli": 549_367, "multinli": 392_702}  # labelled, of the official files


def records(table, runs, root, preset="full"):
    """A table as a list of flat dictionaries, one a row.

    Args:
        table: a `dsa.tables.Table`.
        runs: `{row name: [RunFolder, ...]}`, finished runs; rows without any stay
            empty.
        root: the data root; evaluations of other files than those below it do not
            count.
        preset: that the runs were made with, a key of `dsa.tables.PRESETS`.

    Returns: dictionaries with the same keys. Accuracies are in per cent, of a measure
        `m`: `m paper`, `m ours` (mean), `m min`, `m max`, `m standard deviation` (of
        the seeds, in points), `m split` and `m pairs` (what ours was measured on),
        and `m difference`, (ours - paper) / sqrt(p (1 - p) / n) with the paper's p
        and our n. `None` is what is not known.
    """
    numbers = _paper_numbers(table)
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
    """`{model: {split: value, "params_millions": ..., "seconds_per_epoch": ...}}`."""
    numbers = {}
    for row in paper_rows(*table.source) if table.source else []:
        model = numbers.setdefault(row["model"], {})
        model[row["split"]] = float(row["value"])
        for name in ("params_millions", "seconds_per_epoch"):
            if row[name]:
                model[name] = float(row[name])
    return numbers


def _data_facts(table, runs):
    facts = [run.environment() for run in runs]
    pairs = [each["pairs"] for each in facts]
    train = {each["train"] for each in pairs}
    share = min(train, default=0) / TRAIN_PAIRS[table.corpus]
    embedding = [run.experiment().embedding for run in runs]
    return {
        "training pairs": _one(train),
        "pairs mixed in": _one({each.get("mix", 0) for each in pairs}),
        "partial": share < 1 if runs else None,
        "share of training pairs": share if runs else None,
        "vectors": _one({_vectors(each) for each in embedding}),
        "epochs": _one({round(e["steps"] / e["steps_per_epoch"], 1) for e in facts}),
        "seeds": " ".join(str(run.experiment().seed) for run in runs),
        "commits": " ".join(sorted({str(each["commit"])[:7] for each in facts})),
    }


def _accuracies(table, numbers, row, runs, root):
    result = {}
    entries = [evaluations(run, root) for run in runs]
    for measure in table.measures:
        paper = numbers.get(row.paper_name, {}).get(measure.paper_split)
        evaluated = (s for s in measure.splits if _same_file(entries, s))
        split = next(evaluated, None)
        ours = [100 * each[split]["accuracy"] for each in entries] if split else []
        count = entries[0][split]["count"] if split else None
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


def _same_file(entries, split):
    """Whether every run was evaluated on a split, and on the same file."""
    files = {each[split].get("sha256") if split in each else None for each in entries}
    return len(files) == 1 and None not in files


def _costs(paper, runs):
    facts = [run.environment() for run in runs]
    return {
        "parameters paper (millions)": paper.get("params_millions"),
        "parameters": _one(
            {each["parameters"]["trainable_without_embeddings"] for each in facts}
        ),
        "seconds an epoch paper": paper.get("seconds_per_epoch"),
        "seconds an epoch": _median(each["seconds_per_epoch"] for each in facts),
        "wall seconds": _median(each["wall_seconds"] for each in facts),
        "device": _one({each["device"] for each in facts}),
    }


def _one(values):
    """The value that all runs share; all of them, as text, where they differ."""
    if len(values) < 2:
        return min(values, default=None)
    return " / ".join(map(str, sorted(values)))


def _median(values):
    values = list(values)
    return statistics.median(values) if values else None


def _vectors(embedding):
    text = f"{embedding.units}-d vectors"
    if embedding.projection:
        text += f" projected to {embedding.projection}"
    return text


def markdown(table, rows):
    """`records` as a Markdown table, and behind it what its numbers are."""
    header = ["model", "trained on", "seeds"]
    for measure in table.measures:
        if measure.paper_split:
            header.append(f"paper: {measure.name}")
        header.append(f"ours: {measure.name}")
        if measure.paper_split and measure.compared:
            header.append("difference")
    header += ["parameters", "seconds an epoch", "wall seconds", "test evaluations"]
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for row in rows:
        cells = [row["model"], _trained_on(row), row["seeds"].replace(" ", ", ") or "-"]
        for measure in table.measures:
            if measure.paper_split:
                cells.append(_number(row[f"{measure.name} paper"], ".1f"))
            cells.append(_ours(row, measure))
            if measure.paper_split and measure.compared:
                cells.append(_difference(row, measure))
        cells += [
            _beside(_millions(row["parameters paper (millions)"]), row["parameters"]),
            _beside(row["seconds an epoch paper"], row["seconds an epoch"]),
            _number(row["wall seconds"], ",.0f"),
            _number(row["test evaluations a run"], "d"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    notes = [f"- {note}" for note in _notes(table, rows)]
    return "\n".join([f"## {table.title}", "", *lines, "", *notes, ""])


def _trained_on(row):
    pairs = row["training pairs"]
    if pairs is None:
        return "-"
    mixed = f" + {_number(row['pairs mixed in'], ',d')} of another corpus"
    text = f"{_number(pairs, ',d')} pairs" + (mixed if row["pairs mixed in"] else "")
    if row["partial"]:
        text = f"**{text}, {100 * row['share of training pairs']:.0f} %, partial**"
    epochs = _number(row["epochs"], "g")
    return f"{text}, {epochs} epochs, {row['vectors']}"


def _ours(row, measure):
    mean, name = row[f"{measure.name} ours"], measure.name
    if mean is None:
        return "-"
    text = f"{mean:.2f}"
    if row[f"{name} standard deviation"] is not None:
        text += f" ({row[f'{name} min']:.2f}-{row[f'{name} max']:.2f})"
    return f"{text}, {row[f'{name} split']}, n = {row[f'{name} pairs']:,}"


def _difference(row, measure):
    difference = row[f"{measure.name} difference"]
    if difference is None:
        return "-"
    deviation = row[f"{measure.name} standard deviation"]
    return f"{difference:+.1f} SE" + (f", sd {deviation:.2f}" if deviation else "")


def _millions(value):
    return None if value is None else f"{value:g}m"


def _beside(paper, ours):
    paper = "-" if paper is None else paper if isinstance(paper, str) else f"{paper:g}"
    return f"{paper} / {_number(ours, ',.0f')}"


def _number(value, form):
    if value is None:
        return "-"
    return value if isinstance(value, str) else format(value, form)


def _notes(table, rows):
    ours = [row for row in rows if row["training pairs"] is not None]
    notes = [
        "Accuracy in per cent, ours as mean (min-max) over the seeds, with the split "
        "and its pairs; parameters (trainable, without embeddings) and seconds of "
        "training steps an epoch as paper / ours."
    ]
    if table.source:
        notes.append(
            "Difference: (ours - paper) / sqrt(p (1 - p) / n), in standard errors, "
            "with the paper's p and our n; sd: the seeds' standard deviation in "
            "points; the error of the paper's own number is not in it. A dash: not "
            "implemented here, or not measured."
        )
    preset = rows[0]["preset"]
    if preset != "full" and ours:
        notes.append(
            f"**Settings of the preset `{preset}`, not the published ones: no "
            "reproduction of the paper's numbers.**"
        )
    if any(row["partial"] for row in ours):
        notes.append(
            "**Trained on partial data: no reproduction of the paper's numbers.**"
        )
    stand_ins = {
        (measure.name, row[f"{measure.name} split"], measure.paper_split)
        for measure in table.measures
        for row in ours
        if measure.paper_split
        and row[f"{measure.name} split"] is not None
        and not measure.paper_split.startswith(row[f"{measure.name} split"])
    }
    for name, split, paper in sorted(stand_ins):
        notes.append(f"{name}: ours on {split}, the paper's on {paper}.")
    devices = sorted({row["device"] for row in ours})
    commits = sorted({c for row in ours for c in row["commits"].split()})
    if ours:
        notes.append(f"Device: {'; '.join(devices)}. Commit: {', '.join(commits)}.")
    return notes
