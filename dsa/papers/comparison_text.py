"""Writes a comparison as Markdown."""

import statistics
from collections.abc import Iterator, Sequence

from dsa.data.corpora.catalogue import corpus_named
from dsa.papers.compared_row import ComparedRow, MeasuredValue, Training
from dsa.papers.paper_table import Measure, Table
from dsa.papers.presets import FULL
from dsa.sweeps.finished_runs import warn_of_known_rows
from dsa.system.text_tables import markdown_table

UNMIXED = "[SNLI mix: no]"  # in the name of a row of DSA's Table 2


def comparison_text(table: Table, rows: Sequence[ComparedRow]) -> str:
    """Returns what was compared as Markdown: our rows, a table for each set of seeds,
    so that one seed never stands beside a mean of several; the paper's table; what our
    runs cost; and notes. A paper's number stands beside ours only where both are of the
    same split.

    Args:
        table: the table.
        rows: its rows, compared.
    """
    ours = [row for row in rows if row.training.pairs is not None]
    names = {row.name: row.name for row in rows}
    stand_ins = {row.name: row.stand_in for row in table.rows if row.stand_in}
    names |= {name: f"{name} (ours: a stand-in)" for name in stand_ins}
    parts = [f"## {table.title}"]
    for seeds in sorted(
        {row.training.seeds for row in ours}, key=lambda s: (-len(s), s)
    ):
        group = [row for row in ours if row.training.seeds == seeds]
        parts += _write_group(table, group, names)
    if table.source:
        parts += ["The paper's numbers:", _write_papers(table, rows)]
    if ours:
        parts += ["What our runs cost, the median over the runs:", _write_costs(ours)]
    notes = _write_notes(table, ours, stand_ins)
    return "\n\n".join([*parts, "\n".join(f"- {note}" for note in notes)]) + "\n"


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


def _write_group(table, rows, names):
    """Rows of the same seeds: what is the same in all of them, and the others."""
    beside = {
        measure.name: all(
            measure.is_papers_split(row.values[measure.name].split) for row in rows
        )
        for measure in table.measures
    }
    pairs = [_write_pairs(table, row) for row in rows]
    is_shared = len(set(pairs)) == 1
    header = ["model", *["trained on"][is_shared:]]
    lines = [
        [names[row.name], *[text][is_shared:]]
        for row, text in zip(rows, pairs, strict=True)
    ]
    for measure in table.measures:
        columns = _choose(measure, beside[measure.name])
        header += columns
        for row, line in zip(rows, lines, strict=True):
            cells = _write_measure(measure, row.values[measure.name])
            line += [cells[column] for column in columns]
    seeds = ", ".join(map(str, rows[0].training.seeds)) or "none"
    shared = f", trained on {pairs[0]}" if is_shared else ""
    return [f"Seeds: {seeds}{shared}.", markdown_table(header, lines)]


def _choose(measure: Measure, is_beside: bool) -> list[str]:
    """The columns of a measure: ours, and the paper's where it is of the same split."""
    ours, paper = f"ours: {measure.name}", f"paper: {measure.name}"
    if not measure.paper_split or not is_beside:
        return [ours]
    return [paper, ours, "difference"] if measure.compared else [paper, ours]


def _write_papers(table, rows):
    measures = [measure for measure in table.measures if measure.paper_split]
    header = ["model", *(measure.name for measure in measures)]
    return markdown_table(
        [*header, "parameters", "seconds an epoch"],
        [
            [
                row.name,
                *(row.values[m.name].paper_text or "-" for m in measures),
                "-" if millions is None else f"{millions:g}m",
                _write_number(row.costs.paper_epoch_seconds, "g"),
            ]
            for row in rows
            for millions in [row.costs.paper_parameters]
        ],
    )


def _write_costs(rows):
    return markdown_table(
        ["model", "training", "parameters", "seconds an epoch", "wall seconds"]
        + ["test evaluations"],
        [
            [
                row.name,
                _write_training(row.training),
                _write_number(row.costs.parameters, ",.0f"),
                _write_number(row.costs.epoch_seconds, ",.0f"),
                _write_number(row.costs.wall_seconds, ",.0f"),
                _write_number(row.test_evaluations, "d"),
            ]
            for row in rows
        ],
    )


def _write_pairs(table: Table, row: ComparedRow) -> str:
    what, training = corpus_named(table.corpus).task.rows, row.training
    text = f"{_write_number(training.pairs, ',d')} {what}"
    if training.mixed_pairs:
        text += f" + {_write_number(training.mixed_pairs, ',d')} of another corpus"
        text += " (the paper: none)" if UNMIXED in row.name else ""
    if training.partial:
        text = f"**{text}, {100 * (training.share or 0):.0f} %, partial**"
    return text


def _write_training(training: Training) -> str:
    if training.epochs is None:
        return str(training.vectors)
    epochs = _write_number(training.epochs, "g")
    return f"{epochs} epoch{'' if epochs == '1' else 's'}, {training.vectors}"


def _write_measure(measure: Measure, value: MeasuredValue) -> dict[str, str]:
    """The cells of a measure, by the heading of their column."""
    ours = write_mean_and_range(value.seeds, measure.metric.form)
    if value.seeds:
        unit = "" if value.unit == "pairs" else f" {value.unit}"
        ours += f", {value.split}, n = {value.rows:,}{unit}"
    difference = "-"
    if value.difference is not None:
        difference = f"{value.difference:+.1f} SE"
        if value.deviation:
            difference += f", sd {value.deviation:{measure.metric.form}}"
    return {
        f"ours: {measure.name}": ours,
        f"paper: {measure.name}": value.paper_text or "-",
        "difference": difference,
    }


def _write_number(value, form):
    if value is None:
        return "-"
    return value if isinstance(value, str) else format(value, form)


def _write_notes(table: Table, ours: list[ComparedRow], stand_ins) -> list[str]:
    metrics = dict.fromkeys(measure.metric.words for measure in table.measures)
    units = dict.fromkeys(measure.metric.unit for measure in table.measures)
    names = " and ".join("rows" if unit == "pairs" else unit for unit in units)
    return [
        f"{'; '.join(metrics)}, ours as mean (min-max) over the seeds, with the "
        f"split and its {names}; parameters: trainable, without embeddings; seconds of "
        "training steps.",
        *_note_on_differences(table, ours),
        *table.notes,
        *_note_on_stand_ins(stand_ins),
        *_warn_of_other_settings(ours),
        *_note_on_splits(table, ours),
        *_note_on_devices(ours),
    ]


def _note_on_stand_ins(stand_ins: dict[str, str]) -> Iterator[str]:
    for what in dict.fromkeys(stand_ins.values()):
        names = [name for name, of_name in stand_ins.items() if of_name == what]
        yield f"{'; '.join(names)}: ours is a stand-in, {what}."


def _note_on_differences(table: Table, ours: list[ComparedRow]) -> Iterator[str]:
    """What a difference is divided by, if there is one."""
    if all(v.difference is None for row in ours for v in row.values.values()):
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
        "not in it."
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
