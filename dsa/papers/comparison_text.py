"""Comparison of our runs with a paper, as Markdown."""

import statistics
from collections.abc import Sequence

from dsa.data.corpora.catalogue import get_corpus
from dsa.papers.comparison import Record
from dsa.papers.presets import FULL
from dsa.papers.table import Measure, Table
from dsa.sweeps.finished_runs import format_leakage_warnings
from dsa.system.text_tables import format_markdown_table

PAPER_WITHOUT_SNLI = "[SNLI mix: no]"  # in row names of Table 2 of DSA


def format_comparison(table: Table, records: Sequence[Record]) -> str:
    """Formats the records of `compare_rows` as Markdown.

    The text contains a table for each set of seeds, since a single seed is not
    comparable to a mean, with the paper's numbers of the measures on the same split;
    the paper's table, if there is one; the costs of our runs, if there are any; and
    notes.

    Args:
        table: the table.
        records: a record for each row of the table.
    """
    titles = {row.name: row.title for row in table.rows}
    records = [{**record, "title": titles[record["model"]]} for record in records]
    records_with_runs = [record for record in records if record["seeds"]]
    parts = [f"## {table.title}"]
    records_by_seeds: dict[tuple[int, ...], list[Record]] = {}
    for record in records_with_runs:
        records_by_seeds.setdefault(tuple(record["seeds"]), []).append(record)
    for seeds in sorted(records_by_seeds, key=lambda seeds: (-len(seeds), seeds)):
        parts += _format_seeds(table, records_by_seeds[seeds])
    if table.source:
        parts += ["The paper's numbers:", _format_paper(table, records)]
    if records_with_runs:
        parts += [
            "Cost of our runs (times: median over the runs; test evaluations: maximum "
            "over the runs):",
            _format_costs(records_with_runs),
        ]
    notes = "\n".join(f"- {note}" for note in _list_notes(table, records_with_runs))
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
    stand_ins = {row.name for row in table.rows if row.stand_in}
    titles = []
    for record in records:
        is_stand_in = record["model"] in stand_ins
        suffix = " (ours: a stand-in)" if is_stand_in else ""
        titles.append(record["title"] + suffix)
    columns = [("model", titles)]
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
            paper_cells = [record[f"{name} paper"] or "-" for record in records]
            columns.append((f"paper: {name}", paper_cells))
        our_cells = [_format_measure(measure, record) for record in records]
        columns.append((f"ours: {name}", our_cells))
        if same_split and measure.compared:
            differences = [_format_difference(measure, record) for record in records]
            columns.append((f"difference: {name}", differences))
    header = [title for title, _ in columns]
    rows = zip(*(cells for _, cells in columns), strict=True)
    return [f"{heading}.", format_markdown_table(header, rows)]


def _format_pairs(table: Table, record: Record) -> str:
    """Returns the size of the training data as text: the number of rows, the number of
    rows mixed in, and, if the data are partial, the share of the official file in bold.
    """
    unit = get_corpus(table.corpus).task.rows
    text = f"{_format_number(record['training pairs'], ',d')} {unit}"
    if record["pairs mixed in"]:
        text += f" + {_format_number(record['pairs mixed in'], ',d')} of another corpus"
        if PAPER_WITHOUT_SNLI in record["model"]:
            text += " (the paper: none)"
    if record["partial"]:
        # partial data are never shown as 100 %
        percent = min(100 * record["share of training pairs"], 99.9)
        text = f"**{text}, {percent:.1f} %, partial**"
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
    """Returns the difference from the paper's number in standard errors, and the
    standard deviation over the seeds."""
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
    rows = []
    for record in records:
        row = {"model": record["title"]}
        for measure in table.measures:
            if measure.paper_split:
                row[measure.name] = record[f"{measure.name} paper"] or "-"
        millions = record["parameters paper (millions)"]
        row["parameters"] = "-" if millions is None else f"{millions:g}m"
        row["seconds per epoch"] = _format_number(
            record["seconds per epoch paper"], "g"
        )
        rows.append(row)
    return format_markdown_table(list(rows[0]), [list(row.values()) for row in rows])


def _format_costs(records: list[Record]) -> str:
    """Returns the table of the costs of our runs."""
    rows = []
    for record in records:
        training, epochs = record["vectors"], record["epochs"]
        if epochs is not None:
            count = _format_number(epochs, "g")
            unit = "epoch" if count == "1" else "epochs"
            training = f"{count} {unit}, {training}"
        rows.append(
            [
                record["title"],
                training,
                _format_number(record["parameters"], ",.0f"),
                _format_number(record["seconds per epoch"], ",.0f"),
                _format_number(record["wall seconds"], ",.0f"),
                _format_number(record["test evaluations per run"], "d"),
            ]
        )
    header = ["model", "training", "parameters", "seconds per epoch", "wall seconds"]
    return format_markdown_table([*header, "test evaluations"], rows)


def _format_number(value: float | str | None, format_spec: str) -> str:
    """Formats a number. The joined values of several runs are returned unchanged."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else format(value, format_spec)


def _list_notes(table: Table, records: list[Record]) -> list[str]:
    """Returns the notes below the tables.

    Args:
        table: the table.
        records: the records with runs.
    """
    metrics = dict.fromkeys(measure.metric.description for measure in table.measures)
    units = dict.fromkeys(measure.metric.unit for measure in table.measures)
    names = " and ".join("rows" if unit == "pairs" else unit for unit in units)
    notes = [
        f"{'; '.join(metrics)}. Ours: mean (min-max) over the seeds, with the split "
        f"and its number of {names}. Parameters: trainable, without embeddings. "
        "Seconds per epoch: training steps only. Wall seconds: the whole process, with "
        "evaluations."
    ]
    keys = [f"{measure.name} difference" for measure in table.measures]
    if any(record[key] is not None for record in records for key in keys):
        notes.append(_explain_difference(table))
    notes += table.notes
    stand_ins: dict[str, list[str]] = {}
    for row in table.rows:
        if row.stand_in:
            stand_ins.setdefault(row.stand_in, []).append(row.title)
    for description, rows in stand_ins.items():
        notes.append(f"{'; '.join(rows)}: ours is a stand-in, {description}.")
    if not records:
        return notes
    preset = records[0]["preset"]
    if preset != FULL:
        notes.append(
            f"**These runs use the preset `{preset}` instead of the published "
            "settings. They do not reproduce the paper's numbers.**"
        )
    if any(record["partial"] for record in records):
        notes.append(
            "**Some runs were trained on partial data. They do not reproduce the "
            "paper's numbers.**"
        )
    notes += format_leakage_warnings(
        selected_on_test=[
            record["title"] for record in records if record["selected on test"]
        ]
    )
    notes += _list_split_differences(table, records)
    devices = sorted({str(record["device"]) for record in records})
    commits = sorted({commit for record in records for commit in record["commits"]})
    notes.append(f"Device: {'; '.join(devices)}. Commit: {', '.join(commits)}.")
    return notes


def _explain_difference(table: Table) -> str:
    """Returns the note that defines the columns `difference`."""
    formula = (
        "(ours - paper) / sqrt(p (100 - p) / n), where p is the paper's number in per "
        "cent and n our number of rows"
    )
    bootstrapped = [measure for measure in table.measures if measure.metric.error]
    if bootstrapped:
        bootstrap_formula = (
            "(ours - paper) / our standard error, which is estimated by a bootstrap "
            f"over the {bootstrapped[0].metric.unit} and averaged over the seeds"
        )
        names = " and ".join(measure.name for measure in bootstrapped)
        formula = f"{formula}; for {names}: {bootstrap_formula}"
        if len(bootstrapped) == len(table.measures):
            formula = bootstrap_formula
    note = (
        f"Difference, in standard errors (SE): {formula}. The difference ignores the "
        "error of the paper's own number. sd: standard deviation over the seeds"
    )
    in_points = all(measure.metric.scale != 1 for measure in bootstrapped)
    return f"{note}, in points." if in_points else f"{note}."


def _list_split_differences(table: Table, records: list[Record]) -> list[str]:
    """Returns a note for each measure whose split is not literally the paper's split,
    including the remark in brackets."""
    differences = set()
    for measure in table.measures:
        for record in records:
            split = record[f"{measure.name} split"]
            if measure.paper_split and split not in (None, measure.paper_split):
                differences.add((measure.name, split, measure.paper_split))
    folds = ""
    if table.folds:
        folds = f" (each of the {table.folds} folds by one run)"
    return [
        f"{name}: ours on {split}{folds}, the paper's on {paper}."
        for name, split, paper in sorted(differences)
    ]
