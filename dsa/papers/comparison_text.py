"""Comparison of our runs with a paper, as Markdown."""

import statistics
from collections.abc import Sequence

from dsa.data.corpora.catalogue import get_corpus
from dsa.papers.comparison import Record
from dsa.papers.presets import FULL
from dsa.papers.table import Measure, Table
from dsa.sweeps.finished_runs import format_leakage_warnings
from dsa.system.text_tables import format_markdown_table

UNMIXED = "[SNLI mix: no]"  # substring of row names in Table 2 of DSA


def format_comparison(table: Table, records: Sequence[Record]) -> str:
    """Formats the records of `compare_rows` as Markdown.

    The text contains a table of our rows and the paper's numbers for each set of seeds,
    since a single seed is not comparable to a mean; the paper's table; a table with the
    costs of our runs; and notes.

    Args:
        table: the table.
        records: a record for each row of the table.
    """
    titles = {row.name: row.title for row in table.rows}
    records = [{**record, "model": titles[record["model"]]} for record in records]
    ours = [record for record in records if record["seeds"]]
    parts = [f"## {table.title}"]
    records_by_seeds: dict[tuple[int, ...], list[Record]] = {}
    for record in ours:
        records_by_seeds.setdefault(tuple(record["seeds"]), []).append(record)
    for seeds in sorted(records_by_seeds, key=lambda seeds: (-len(seeds), seeds)):
        parts += _format_seeds(table, records_by_seeds[seeds])
    if table.source:
        parts += ["The paper's numbers:", _format_paper(table, records)]
    if ours:
        parts += ["Cost of our runs, the median over the runs:", _format_costs(ours)]
    notes = "\n".join(f"- {note}" for note in _list_notes(table, ours))
    return "\n\n".join([*parts, notes]) + "\n"


def format_mean_and_range(numbers: Sequence[float], format_spec: str) -> str:
    """Returns a mean, followed by the range if the numbers differ.

    Args:
        numbers: one number per seed.
        format_spec: format of a number, such as ".2f".

    Returns: the text, or "-" without numbers.

    Example:
        >>> format_mean_and_range([73.41, 74.72, 75.26], ".2f")
        '74.46 (73.41-75.26)'
        >>> format_mean_and_range([], ".2f")
        '-'
    """
    if not numbers:
        return "-"
    mean = statistics.mean(numbers)
    return _format_range(mean, min(numbers), max(numbers), format_spec)


def format_ours(measure: Measure, record: Record) -> str:
    """Returns our mean and range of a measure, or "-" without a result."""
    mean = record[f"{measure.name} ours"]
    if mean is None:
        return "-"
    low, high = record[f"{measure.name} min"], record[f"{measure.name} max"]
    return _format_range(mean, low, high, measure.metric.format_spec)


def _format_range(mean: float, low: float, high: float, format_spec: str) -> str:
    text = format(mean, format_spec)
    if low == high:
        return text
    return f"{text} ({format(low, format_spec)}-{format(high, format_spec)})"


def _format_seeds(table: Table, records: list[Record]) -> list[str]:
    """Returns a heading and a table of rows with the same seeds.

    The heading contains the number of training pairs if it is equal in all rows.
    Otherwise, it is a column of the table.
    """
    stand_ins = {row.title for row in table.rows if row.stand_in}
    names = []
    for record in records:
        is_stand_in = record["model"] in stand_ins
        suffix = " (ours: a stand-in)" if is_stand_in else ""
        names.append(record["model"] + suffix)
    columns = [("model", names)]
    heading = f"Seeds: {', '.join(map(str, records[0]['seeds']))}"
    pairs = [_format_pairs(table, record) for record in records]
    if len(set(pairs)) == 1:
        heading += f", trained on {pairs[0]}"
    else:
        columns.append(("trained on", pairs))
    for measure in table.measures:
        name = measure.name
        same_split = all(
            measure.matches_paper(record[f"{name} split"]) for record in records
        )
        if same_split:
            paper = [record[f"{name} paper"] or "-" for record in records]
            columns.append((f"paper: {name}", paper))
        ours = [_format_measure(measure, record) for record in records]
        columns.append((f"ours: {name}", ours))
        if same_split and measure.compared:
            differences = [_format_difference(measure, record) for record in records]
            columns.append(("difference", differences))
    header = [title for title, _ in columns]
    lines = zip(*(cells for _, cells in columns), strict=True)
    return [f"{heading}.", format_markdown_table(header, lines)]


def _format_pairs(table: Table, record: Record) -> str:
    """Returns the number of training pairs, with a mark if the data are partial."""
    unit = get_corpus(table.corpus).task.rows
    text = f"{_format_number(record['training pairs'], ',d')} {unit}"
    if record["pairs mixed in"]:
        text += f" + {_format_number(record['pairs mixed in'], ',d')} of another corpus"
        if UNMIXED in record["model"]:
            text += " (the paper: none)"
    if record["partial"]:
        text = f"**{text}, {100 * record['share of training pairs']:.0f} %, partial**"
    return text


def _format_measure(measure: Measure, record: Record) -> str:
    """Returns our mean and range of a measure with the split and the sample size."""
    text = format_ours(measure, record)
    unit = measure.metric.unit
    split = record[f"{measure.name} split"]
    if split is None:
        return text
    text += f", {split}, n = {record[f'{measure.name} {unit}']:,}"
    return text if unit == "pairs" else f"{text} {unit}"


def _format_difference(measure: Measure, record: Record) -> str:
    """Returns the difference to the paper in standard errors, and the standard
    deviation over the seeds."""
    difference = record[f"{measure.name} difference"]
    std = record[f"{measure.name} standard deviation"]
    if difference is None:
        return "-"
    text = f"{difference:+.1f} SE"
    if std:
        text += f", sd {format(std, measure.metric.format_spec)}"
    return text


def _format_paper(table: Table, records: Sequence[Record]) -> str:
    """Returns the table of the paper's numbers."""
    lines = []
    for record in records:
        line = {"model": record["model"]}
        for measure in table.measures:
            if measure.paper_split:
                line[measure.name] = record[f"{measure.name} paper"] or "-"
        millions = record["parameters paper (millions)"]
        line["parameters"] = "-" if millions is None else f"{millions:g}m"
        line["seconds an epoch"] = _format_number(record["seconds an epoch paper"], "g")
        lines.append(line)
    return format_markdown_table(
        list(lines[0]), [list(line.values()) for line in lines]
    )


def _format_costs(records: list[Record]) -> str:
    """Returns the table of the costs of our runs."""
    lines = []
    for record in records:
        training, epochs = record["vectors"], record["epochs"]
        if epochs is not None:
            count = _format_number(epochs, "g")
            unit = "epoch" if count == "1" else "epochs"
            training = f"{count} {unit}, {training}"
        lines.append(
            [
                record["model"],
                training,
                _format_number(record["parameters"], ",.0f"),
                _format_number(record["seconds an epoch"], ",.0f"),
                _format_number(record["wall seconds"], ",.0f"),
                _format_number(record["test evaluations a run"], "d"),
            ]
        )
    header = ["model", "training", "parameters", "seconds an epoch", "wall seconds"]
    return format_markdown_table([*header, "test evaluations"], lines)


def _format_number(value: float | str | None, format_spec: str) -> str:
    """Formats a number. The joined values of several runs are returned unchanged."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else format(value, format_spec)


def _list_notes(table: Table, ours: list[Record]) -> list[str]:
    """Returns the notes below the tables."""
    metrics = dict.fromkeys(measure.metric.description for measure in table.measures)
    units = dict.fromkeys(measure.metric.unit for measure in table.measures)
    names = " and ".join("rows" if unit == "pairs" else unit for unit in units)
    notes = [
        f"{'; '.join(metrics)}, ours as mean (min-max) over the seeds, with the "
        f"split and its {names}; parameters: trainable, without embeddings; seconds of "
        "training steps."
    ]
    keys = [f"{measure.name} difference" for measure in table.measures]
    if any(record[key] is not None for record in ours for key in keys):
        notes.append(_explain_difference(table))
    notes += table.notes
    stand_ins: dict[str, list[str]] = {}
    for row in table.rows:
        if row.stand_in:
            stand_ins.setdefault(row.stand_in, []).append(row.title)
    for description, rows in stand_ins.items():
        notes.append(f"{'; '.join(rows)}: ours is a stand-in, {description}.")
    if not ours:
        return notes
    if ours[0]["preset"] != FULL:
        notes.append(
            f"**Settings of the preset `{ours[0]['preset']}`, not the published ones: "
            "no reproduction of the paper's numbers.**"
        )
    if any(record["partial"] for record in ours):
        notes.append(
            "**Trained on partial data: no reproduction of the paper's numbers.**"
        )
    notes += format_leakage_warnings(
        selected_on_test=[
            record["model"] for record in ours if record["selected on test"]
        ]
    )
    notes += _list_split_differences(table, ours)
    devices = sorted({str(record["device"]) for record in ours})
    commits = sorted({commit for record in ours for commit in record["commits"]})
    notes.append(f"Device: {'; '.join(devices)}. Commit: {', '.join(commits)}.")
    return notes


def _explain_difference(table: Table) -> str:
    """Returns the note that defines the column `difference`."""
    formula = (
        "(ours - paper) / sqrt(p (1 - p) / n), in standard errors, with the paper's p "
        "and our n"
    )
    bootstrapped = [measure for measure in table.measures if measure.metric.error]
    if bootstrapped:
        bootstrap_formula = (
            "(ours - paper) / the standard error of ours, by bootstrap over its "
            f"{bootstrapped[0].metric.unit}, the mean over the seeds"
        )
        names = " and ".join(measure.name for measure in bootstrapped)
        formula = f"{formula}; of {names} {bootstrap_formula}"
        if len(bootstrapped) == len(table.measures):
            formula = bootstrap_formula
    in_points = all(measure.metric.scale != 1 for measure in bootstrapped)
    std = "standard deviation in points" if in_points else "standard deviation"
    return (
        f"Difference: {formula}; sd: the seeds' {std}; the error of the paper's "
        "own number is not in it."
    )


def _list_split_differences(table: Table, ours: list[Record]) -> list[str]:
    """Returns a note for each measure whose split differs from the paper's split."""
    differences = set()
    for measure in table.measures:
        for record in ours:
            split = record[f"{measure.name} split"]
            if measure.paper_split and split not in (None, measure.paper_split):
                differences.add((measure.name, split, measure.paper_split))
    folds = ""
    if table.folds:
        folds = f"the rows of all {table.folds} folds, by a run each, as "
    return [
        f"{name}: ours on {folds}{split}, the paper's on {paper}."
        for name, split, paper in sorted(differences)
    ]
