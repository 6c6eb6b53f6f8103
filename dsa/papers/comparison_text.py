"""A comparison as Markdown."""

from dsa.data.corpora.catalogue import corpus_named
from dsa.papers.mean_and_range import write_mean_and_range
from dsa.papers.presets import FULL
from dsa.sweeps.known_rows import warn_of_known_rows
from dsa.system.text_tables import markdown_table


def comparison_text(table, rows):
    """A table as Markdown, and after it what its numbers are.

    Args:
        table: the `Table`.
        rows: its `ComparedRow`s.
    """
    header = ["model", "trained on", "seeds"]
    for measure in table.measures:
        header += _write_heads(measure)
    header += ["parameters", "seconds an epoch", "wall seconds", "test evaluations"]
    stand_ins = {row.name: row.stand_in for row in table.rows if row.stand_in}
    lines = [_write_cells(table, row, row.name in stand_ins) for row in rows]
    notes = [f"- {note}" for note in _write_notes(table, rows)]
    return "\n".join(
        [f"## {table.title}", "", markdown_table(header, lines), "", *notes, ""]
    )


def _write_heads(measure):
    heads = [f"ours: {measure.name}"]
    if measure.paper_split:
        heads.insert(0, f"paper: {measure.name}")
        if measure.compared:
            heads.append("difference")
    return heads


def _write_cells(table, row, is_stand_in):
    seeds = ", ".join(map(str, row.training.seeds))
    name = f"{row.name} (ours: a stand-in)" if is_stand_in else row.name
    cells = [name, _write_training(table, row.training), seeds or "-"]
    for measure in table.measures:
        cells += _write_measure(measure, row.values[measure.name])
    costs = row.costs
    millions = costs.paper_parameters
    return [
        *cells,
        f"{'-' if millions is None else f'{millions:g}m'} / "
        f"{_write_number(costs.parameters, ',.0f')}",
        f"{_write_number(costs.paper_epoch_seconds, 'g')} / "
        f"{_write_number(costs.epoch_seconds, ',.0f')}",
        _write_number(costs.wall_seconds, ",.0f"),
        _write_number(row.test_evaluations, "d"),
    ]


def _write_training(table, training):
    if training.pairs is None:
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


def _write_measure(measure, value):
    cells = [_write_ours(measure.metric.form, value)]
    if measure.paper_split:
        cells.insert(0, value.paper_text or "-")
        if measure.compared:
            cells.append(_write_difference(measure.metric, value))
    return cells


def _write_ours(form, value):
    if value.mean is None:
        return "-"
    text = write_mean_and_range(value.seeds, form)
    unit = "" if value.unit == "pairs" else f" {value.unit}"
    return f"{text}, {value.split}, n = {value.rows:,}{unit}"


def _write_difference(metric, value):
    if value.difference is None:
        return "-"
    deviation = f", sd {value.deviation:{metric.form}}" if value.deviation else ""
    return f"{value.difference:+.1f} SE{deviation}"


def _write_number(value, form):
    if value is None:
        return "-"
    return value if isinstance(value, str) else format(value, form)


def _write_notes(table, rows):
    ours = [row for row in rows if row.training.pairs is not None]
    return [
        f"{_name_metrics(table)}, ours as mean (min-max) over the seeds, with the "
        f"split and its {_name_units(table)}; parameters (trainable, without "
        "embeddings) and seconds of training steps an epoch as paper / ours.",
        *_note_on_differences(table),
        *table.notes,
        *_name_stand_ins(table),
        *_warn_of_other_settings(ours),
        *_note_on_splits(table, ours),
        *_note_on_devices(ours),
    ]


def _name_metrics(table):
    words = dict.fromkeys(measure.metric.words for measure in table.measures)
    return "; ".join(words)


def _name_units(table):
    units = dict.fromkeys(measure.metric.unit for measure in table.measures)
    return " and ".join("rows" if unit == "pairs" else unit for unit in units)


def _name_stand_ins(table):
    for row in table.rows:
        if row.stand_in:
            yield f"{row.name}: ours is a stand-in, {row.stand_in}."


def _note_on_differences(table):
    if table.source:
        yield (
            f"Difference: {_explain_error(table)}; sd: the seeds' standard deviation"
            f"{_name_scale(table)}; the error of the paper's own number is not in it. "
            "A dash: not implemented here, or not measured."
        )


def _explain_error(table):
    """What a difference is divided by, for the metrics of a table."""
    share = (
        "(ours - paper) / sqrt(p (1 - p) / n), in standard errors, with the paper's p "
        "and our n"
    )
    names = [m.name for m in table.measures if m.metric.error]
    if not names:
        return share
    (unit,) = {m.metric.unit for m in table.measures if m.metric.error}
    own = (
        f"(ours - paper) / the standard error of ours, by bootstrap over its {unit}, "
        "the mean over the seeds"
    )
    if len(names) == len(table.measures):
        return own
    return f"{share}; of {' and '.join(names)} {own}"


def _name_scale(table):
    """The unit of a deviation, where every number is in per cent."""
    in_points = not any(m.metric.error and m.metric.scale == 1 for m in table.measures)
    return " in points" if in_points else ""


def _warn_of_other_settings(ours):
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


def _note_on_splits(table, ours):
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


def _note_on_devices(ours):
    if ours:
        devices = sorted({row.costs.device for row in ours})
        commits = sorted({c for row in ours for c in row.training.commits})
        yield f"Device: {'; '.join(devices)}. Commit: {', '.join(commits)}."
