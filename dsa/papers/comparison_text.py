"""Writes a comparison as Markdown."""

import statistics
from collections.abc import Iterable, Iterator, Sequence

from dsa.data.corpora.catalogue import corpus_named
from dsa.papers.compared_row import ComparedRow, MeasuredValue, Training
from dsa.papers.paper_table import Measure, Table
from dsa.papers.presets import FULL
from dsa.sweeps.finished_runs import warn_of_known_rows
from dsa.system.text_tables import markdown_table


def comparison_text(table: Table, rows: Sequence[ComparedRow]) -> str:
    """Returns a table as Markdown, and after it notes on its numbers.

    Args:
        table: the table.
        rows: its rows, compared.
    """
    header = ["model", "trained on", "seeds"]
    for measure in table.measures:
        name = measure.name
        header += _choose(measure, f"paper: {name}", f"ours: {name}", "difference")
    header += ["parameters", "seconds an epoch", "wall seconds", "test evaluations"]
    stand_ins = {row.name: row.stand_in for row in table.rows if row.stand_in}
    lines = [_write_cells(table, row, row.name in stand_ins) for row in rows]
    notes = [f"- {note}" for note in _write_notes(table, rows, stand_ins)]
    return "\n".join(
        [f"## {table.title}", "", markdown_table(header, lines), "", *notes, ""]
    )


def write_mean_and_range(numbers: Sequence[float], form: str) -> str:
    """Returns the mean, then the range where the numbers differ.

    Args:
        numbers: one of each seed; none give a dash.
        form: how each is written, a format such as ".2f".

    Example:
        >>> write_mean_and_range([73.41, 74.72, 75.26], ".2f")
        '74.46 (73.41-75.26)'
        >>> write_mean_and_range([], ".2f")
        '-'
    """
    if not numbers:
        return "-"
    text = format(statistics.mean(numbers), form)
    least, most = min(numbers), max(numbers)
    return text if least == most else f"{text} ({least:{form}}-{most:{form}})"


def _choose(measure: Measure, paper: str, ours: str, difference: str) -> list[str]:
    """The cells of a measure: ours, and what there is beside it."""
    if not measure.paper_split:
        return [ours]
    return [paper, ours, difference] if measure.compared else [paper, ours]


def _write_cells(table: Table, row: ComparedRow, is_stand_in: bool) -> list[str]:
    name = f"{row.name} (ours: a stand-in)" if is_stand_in else row.name
    seeds = ", ".join(map(str, row.training.seeds))
    cells = [name, _write_training(table, row.training), seeds or "-"]
    for measure in table.measures:
        cells += _write_measure(measure, row.values[measure.name])
    costs, millions = row.costs, row.costs.paper_parameters
    paper_seconds = _write_number(costs.paper_epoch_seconds, "g")
    return [
        *cells,
        f"{'-' if millions is None else f'{millions:g}m'} / "
        f"{_write_number(costs.parameters, ',.0f')}",
        f"{paper_seconds} / {_write_number(costs.epoch_seconds, ',.0f')}",
        _write_number(costs.wall_seconds, ",.0f"),
        _write_number(row.test_evaluations, "d"),
    ]


def _write_training(table: Table, training: Training) -> str:
    if training.pairs is None or training.share is None:
        return "-"
    what = corpus_named(table.corpus).task.rows
    text = f"{_write_number(training.pairs, ',d')} {what}"
    if training.mixed_pairs:
        text += f" + {_write_number(training.mixed_pairs, ',d')} of another corpus"
    if training.partial:
        text = f"**{text}, {100 * training.share:.0f} %, partial**"
    if training.epochs is not None:
        epochs = _write_number(training.epochs, "g")
        text += f", {epochs} epoch{'' if epochs == '1' else 's'}"
    return f"{text}, {training.vectors}"


def _write_measure(measure: Measure, value: MeasuredValue) -> list[str]:
    ours = write_mean_and_range(value.seeds, measure.metric.form)
    if value.seeds:
        unit = "" if value.unit == "pairs" else f" {value.unit}"
        ours += f", {value.split}, n = {value.rows:,}{unit}"
    difference = "-"
    if value.difference is not None:
        difference = f"{value.difference:+.1f} SE"
        if value.deviation:
            difference += f", sd {value.deviation:{measure.metric.form}}"
    return _choose(measure, value.paper_text or "-", ours, difference)


def _write_number(value, form):
    if value is None:
        return "-"
    return value if isinstance(value, str) else format(value, form)


def _write_notes(table: Table, rows: Iterable[ComparedRow], stand_ins) -> list[str]:
    ours = [row for row in rows if row.training.pairs is not None]
    metrics = dict.fromkeys(measure.metric.words for measure in table.measures)
    units = dict.fromkeys(measure.metric.unit for measure in table.measures)
    names = " and ".join("rows" if unit == "pairs" else unit for unit in units)
    return [
        f"{'; '.join(metrics)}, ours as mean (min-max) over the seeds, with the "
        f"split and its {names}; parameters (trainable, without "
        "embeddings) and seconds of training steps an epoch as paper / ours.",
        *_note_on_differences(table),
        *table.notes,
        *(f"{name}: ours is a stand-in, {what}." for name, what in stand_ins.items()),
        *_warn_of_other_settings(ours),
        *_note_on_splits(table, ours),
        *_note_on_devices(ours),
    ]


def _note_on_differences(table: Table) -> Iterator[str]:
    """What a difference is divided by, for the metrics of a paper's table."""
    if not table.source:
        return
    formula = (
        "(ours - paper) / sqrt(p (1 - p) / n), in standard errors, with the paper's p "
        "and our n"
    )
    with_error = [m for m in table.measures if m.metric.error]
    if with_error:
        (unit,) = {m.metric.unit for m in with_error}
        own = (
            f"(ours - paper) / the standard error of ours, by bootstrap over its "
            f"{unit}, the mean over the seeds"
        )
        some = f"{formula}; of {' and '.join(m.name for m in with_error)} {own}"
        formula = own if len(with_error) == len(table.measures) else some
    in_points = all(m.metric.scale != 1 for m in with_error)
    yield (
        f"Difference: {formula}; sd: the seeds' standard deviation"
        f"{' in points' if in_points else ''}; the error of the paper's own number is "
        "not in it. A dash: not implemented here, or not measured."
    )


def _warn_of_other_settings(ours: list[ComparedRow]) -> Iterator[str]:
    """Why our rows reproduce no number of the paper, if they do not."""
    if ours and ours[0].preset != FULL:
        yield (
            f"**Settings of the preset `{ours[0].preset}`, not the published ones: no "
            "reproduction of the paper's numbers.**"
        )
    if any(row.training.partial for row in ours):
        yield "**Trained on partial data: no reproduction of the paper's numbers.**"
    chosen = [row.name for row in ours if row.training.selected_on_test]
    yield from warn_of_known_rows(chosen)


def _note_on_splits(table: Table, ours: list[ComparedRow]) -> Iterator[str]:
    """Where our split is not the paper's."""
    stand_ins = {
        (measure.name, row.values[measure.name].split, measure.paper_split)
        for measure in table.measures
        for row in ours
        if measure.paper_split
        and row.values[measure.name].split not in (None, measure.paper_split)
    }
    folds = f"the rows of all {table.folds} folds, by a run each, as "
    for name, split, paper in sorted(stand_ins):
        rows = folds if table.folds else ""
        yield f"{name}: ours on {rows}{split}, the paper's on {paper}."


def _note_on_devices(ours: list[ComparedRow]) -> Iterator[str]:
    if ours:
        devices = sorted({str(row.costs.device) for row in ours})
        commits = sorted({c for row in ours for c in row.training.commits})
        yield f"Device: {'; '.join(devices)}. Commit: {', '.join(commits)}."
