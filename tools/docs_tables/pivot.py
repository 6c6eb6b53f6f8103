"""Tables of committed results, declared in tables.yaml.

A table has rows and columns. A row selects records (`tools.docs_tables.records`), a
column is a template such as `"{dev.accuracy:points} %"`, which is filled with the
records of the row. The formats of a template:

    (none)        the only value
    list          all distinct values
    json          the only value, as in a config file
    points        mean of fractions, in per cent; points1: one digit; +points: signed
    each          every fraction, in per cent
    range         mean of fractions in per cent, and the range
    lowest        lowest fraction in per cent; highest
    interval      95 % t interval of the mean over seeds, in per cent; low, high: its
                  limits
    (others)      a format of Python, such as .3f

`{a - b:points}` subtracts two keys of each record, `{-a:points}` negates one; `*` in a
key is replaced by the row's value of `"*"`.

Keys of a table: one source (see `read_records`); `where` (conditions for all rows);
`label` (heading of the rows); `rows` (`each` for a row per record, or the conditions of
each row by its label); `by` (a row for each value of a key); `base` (conditions of the
records that rows are compared with); `same` (keys that have the same values in all
rows); `sort` (key of the mean that orders the rows); `columns`. A condition is a value,
or a list of allowed values; `run` is a folder or a list of folders. A row may also have
`base`, `"*"`, `set` (further keys), and `paper` (a number of a paper).

A column is a template, or a mapping with the keys `text`, `where`, `missing` (the text
without records), and one of these keys with the value `base`: `of` (values of the
base), and seed by seed `minus` (difference to the base), `per` (ratio) or `removed`
(share of the base's value that the row lacks).
"""

import json
import re
import statistics
import string
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml

from dsa.errors import InputError
from dsa.papers.comparison_text import write_mean_and_range
from dsa.papers.table_files import find_table
from dsa.system.reading import read_text
from dsa.system.text_tables import markdown_table
from dsa.tasks.seed_comparison import compare_over_seeds
from tools.docs_tables.records import read_records

FILE = Path(__file__).with_name("tables.yaml")
TABLES = yaml.safe_load(read_text(FILE))
OPTIONS = ("base", "*", "set", "paper")  # keys of a row that are no conditions
NUMBER = re.compile(r"(\+?)(points|each|range|lowest|highest|interval|low|high)(\d?)")
OPERATIONS = {
    "minus": lambda ours, base: ours - base,
    "per": lambda ours, base: ours / base,
    "removed": lambda ours, base: (base - ours) / base,
}


class Row(NamedTuple):
    """A row of a table.

    Attributes:
        label: the first cell; `None` without a heading of rows.
        records: records of the row.
        base: records that the row is compared with.
        star: replacement of `*` in keys.
        extra: further values by key.
    """

    label: str | None
    records: list
    base: list
    star: str
    extra: dict

    def values(self, key):
        """Returns the value of a key in each record."""
        if key in self.extra:
            return [self.extra[key]]
        if key.startswith("-"):
            return [-value for value in self.values(key[1:])]
        if key.isdigit():
            return [int(key)] * len(self.records)
        if " - " in key:
            first, second = (self.values(part) for part in key.split(" - "))
            return [a - b for a, b in zip(first, second, strict=True)]
        return [record[key.replace("*", self.star)] for record in self.records]

    def by_seed(self, key):
        """Returns `{seed: value}`, sorted."""
        seeds = self.values("seed")
        if len(set(seeds)) < len(seeds):
            raise InputError(f"{self.label}: one run per seed is needed")
        return dict(sorted(zip(seeds, self.values(key), strict=True)))


class Compared(NamedTuple):
    """A row compared with its base seed by seed, by one of `OPERATIONS`."""

    row: Row
    operation: str

    def values(self, key):
        base = self.row._replace(records=self.row.base)
        kinds = {record["processor"] for record in base.records + self.row.records}
        ours, theirs = self.row.by_seed(key), base.by_seed(key)
        if list(ours) != list(theirs) or len(kinds) > 1:
            raise InputError(
                f"{self.row.label}: runs of the same seeds on one kind of processor "
                f"are needed. Received: {list(ours)}, {list(theirs)}, {sorted(kinds)}"
            )
        compare = OPERATIONS[self.operation]
        return [compare(ours[seed], theirs[seed]) for seed in ours]


class Cell(string.Formatter):
    """Fills a template with the values of a row."""

    def get_field(self, field_name, args, kwargs):
        return args[0].values(field_name), field_name

    def format_field(self, value, format_spec):
        return format_values(value, format_spec)


def format_values(values, form):
    """Returns values as text, see the formats of this module."""
    number = NUMBER.fullmatch(form)
    if number:
        sign, kind, digits = number.groups()
        form = f"{sign}.{digits or 2}f"
        if kind in ("interval", "low", "high"):
            low, high = (format(100 * end, form) for end in describe_mean(values)[1])
            return {"interval": f"{low} to {high}", "low": low, "high": high}[kind]
        shares = [100 * value for value in values]
        if kind == "range":
            return write_mean_and_range(shares, form)
        if kind == "each":
            return ", ".join(format(share, form) for share in shares)
        choose = {"points": statistics.mean, "lowest": min, "highest": max}[kind]
        return format(choose(shares), form)
    distinct = list(dict.fromkeys(values))
    if form == "list":
        return ", ".join(map(str, distinct))
    if len(distinct) != 1:
        raise InputError(f"one value is needed. Received: {distinct}")
    return json.dumps(distinct[0]) if form == "json" else format(distinct[0], form)


def describe_mean(values):
    """Returns the mean of values of several seeds, and its 95 % t interval."""
    values = np.array([list(values)]).T
    result = compare_over_seeds(np.zeros_like(values), values)
    return result.difference, result.by_t


def write_table(name, checkout, tables=TABLES):
    """Returns a table as Markdown.

    Args:
        name: name of the table.
        checkout: folder that contains `results/` and `configs/`.
        tables: declarations of tables by name.

    Raises: `InputError` for rows or cells without records, and for missing results.
    """
    table = tables[name]
    rows = list_rows(name, checkout, tables)
    columns = table["columns"]
    heading = table["label"].split(" | ") if "label" in table else []
    lines = []
    for row in rows:
        labels = [] if row.label is None else row.label.split(" | ")
        cells = [_write_cell(column, row) for column in columns.values()]
        lines.append(labels + cells)
    return markdown_table([*heading, *columns], lines)


def list_rows(name, checkout, tables=TABLES):
    """Returns the rows of a table, see `write_table`."""
    table = tables[name]
    records = read_records(table, checkout)
    where = table.get("where", {})
    if table["rows"] == "each":
        chosen = select(records, where)
        return [Row(None, [record], [], "", {}) for record in chosen]
    rows = []
    for label, options in table["rows"].items():
        if not isinstance(options, dict):
            options = {"run": options}
        conditions = {k: v for k, v in options.items() if k not in OPTIONS}
        conditions = {**where, **conditions}
        base = options.get("base", table.get("base"))
        base = select(records, {"run": base} if base else None)
        extra = {"paper": "-", **options.get("set", {})}
        if "paper" in options:
            extra["paper"] = find_paper_number(**options["paper"])
        chosen = select(records, conditions)
        if not chosen:
            raise InputError(f"no records of '{label}': {conditions}")
        chosen.sort(key=lambda record: record.get("seed", 0))
        row = Row(str(label), chosen, base, options.get("*", ""), extra)
        rows += _split_row(row, table["by"]) if "by" in table else [row]
    for key in table.get("same", ()):
        if len({tuple(sorted(row.values(key))) for row in rows}) > 1:
            raise InputError(f"the rows of the table '{name}' differ in '{key}'")
    if "sort" in table:
        rows.sort(key=lambda row: -statistics.mean(row.values(table["sort"])))
    return rows


def _split_row(row, key):
    """Returns a row for each value of a key, whose base has the same value."""
    values = dict.fromkeys(row.values(key))
    return [
        row._replace(
            records=select(row.records, {key: value}),
            base=select(row.base, {key: value}),
        )
        for value in values
    ]


def select(records, conditions):
    """Returns the records that satisfy conditions; none for `None`."""
    if conditions is None:
        return []
    return [record for record in records if matches(record, conditions)]


def matches(record, conditions):
    """Returns whether a record satisfies conditions."""
    for key, allowed in conditions.items():
        allowed = allowed if isinstance(allowed, list) else [allowed]
        if isinstance(record.get(key), Path):
            path = record[key]
            folders = {str(path), *map(str, path.parents)}
            if not any(f.endswith(f"results/{a}") for f in folders for a in allowed):
                return False
        elif record.get(key) not in allowed:
            return False
    return True


def _write_cell(column, row):
    if isinstance(column, str):
        column = {"text": column}
    row = row._replace(
        records=select(row.records, column.get("where", {})),
        base=select(row.base, column.get("where", {})),
    )
    filled = row
    if "of" in column:
        filled = row._replace(records=row.base)
    for operation in OPERATIONS.keys() & column.keys():
        if row.base == row.records:
            return "-"
        filled = Compared(row, operation)
    if not row.records:
        if "missing" in column:
            return column["missing"]
        raise InputError(f"no records of '{row.label}': {column['where']}")
    return Cell().format(column["text"], filled)


def find_paper_number(table, model, minus=None):
    """Returns a number of a paper's table as printed, or the signed difference of two,
    in per cent."""
    source = find_table(table).source
    number = source.number(model)
    if minus is None:
        return number.text
    gain = number.value - source.number(minus).value
    return f"{100 * gain:+.2f}" if number.value < 1 else f"{gain:+.1f}"
