"""A comparison's records as Markdown."""

from dsa.data.corpora.catalogue import corpus_named


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
        cells = [
            row["model"],
            _trained_on(table, row),
            row["seeds"].replace(" ", ", ") or "-",
        ]
        for measure in table.measures:
            if measure.paper_split:
                form = ".1f" if measure.key == "accuracy" else "g"
                cells.append(_number(row[f"{measure.name} paper"], form))
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


def _trained_on(table, row):
    pairs = row["training pairs"]
    if pairs is None:
        return "-"
    mixed = f" + {_number(row['pairs mixed in'], ',d')} of another corpus"
    what = corpus_named(table.corpus).task.rows
    text = f"{_number(pairs, ',d')} {what}" + (mixed if row["pairs mixed in"] else "")
    if row["partial"]:
        text = f"**{text}, {100 * row['share of training pairs']:.0f} %, partial**"
    if row["epochs"] is not None:
        text += f", {_number(row['epochs'], 'g')} epochs"
    return f"{text}, {row['vectors']}"


def _ours(row, measure):
    mean, name = row[f"{measure.name} ours"], measure.name
    if mean is None:
        return "-"
    form = ".2f" if measure.key == "accuracy" else ".3f"
    text = format(mean, form)
    if row[f"{name} standard deviation"] is not None:
        text += f" ({row[f'{name} min']:{form}}-{row[f'{name} max']:{form}})"
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
        "and its rows; parameters (trainable, without embeddings) and seconds of "
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
    if any(row["selected on test"] for row in ours):
        chosen = ", ".join(row["model"] for row in ours if row["selected on test"])
        notes.append(
            f"**Checkpoints chosen on the test rows themselves: {chosen}. Their "
            "numbers are too good.**"
        )
    stand_ins = {
        (measure.name, row[f"{measure.name} split"], measure.paper_split)
        for measure in table.measures
        for row in ours
        if measure.paper_split
        and row[f"{measure.name} split"] is not None
        and measure.paper_split != row[f"{measure.name} split"]
    }
    for name, split, paper in sorted(stand_ins):
        rows_of = f"the rows of all {table.folds} folds, by a run each, as "
        folds = rows_of if table.folds else ""
        notes.append(f"{name}: ours on {folds}{split}, the paper's on {paper}.")
    devices = sorted({row["device"] for row in ours})
    commits = sorted({c for row in ours for c in row["commits"].split()})
    if ours:
        notes.append(f"Device: {'; '.join(devices)}. Commit: {', '.join(commits)}.")
    return notes
