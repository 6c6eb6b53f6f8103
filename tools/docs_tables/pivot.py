"""Tables of committed results, declared in tables.yaml.

A table has rows and columns. A row selects records (`tools.docs_tables.records`). A
column is a template such as `"{dev.accuracy:points} %"`, which is filled with values of
the records of the row. Formats of a field:

    (none)        the value, which must be equal in all records
    list          all distinct values
    json          as (none), in the notation of config files
    points        mean of fractions, in per cent; points1: one digit; +points: signed
    each          every fraction, in per cent
    range         mean and range of fractions, in per cent
    lowest        lowest fraction, in per cent
    highest       highest fraction, in per cent
    interval      95 % t interval of the mean over seeds, in per cent
    low, high     limits of this interval
    (others)      a Python format such as .3f

`{a - b:points}` subtracts two keys of each record, `{-a:points}` negates a key. `*` in
a key is replaced by the value of `"*"` of the row.

Keys of a table:

    runs, comparisons, answers, csv or paper_tables
              source of the records, see `read_records`
    where     conditions for all rows
    label     heading of the row labels
    rows      `each` for a row per record, or the conditions of each row by its label
    by        key that splits each row into a row per value
    base      folder of the records with which the rows are compared
    same      keys whose values must be equal in all rows
    sort      key by whose mean the rows are sorted, in descending order
    columns   columns by heading

A condition is a value or a list of allowed values; `run` is a folder or a list of
folders. A row may also have the keys `base`, `"*"`, `set` (additional values by key)
and `paper` (a number of a paper).

A column is a template, or a mapping with the keys `text`, `where` (conditions),
`missing` (text of a cell without records), and at most one of the following keys with
the value `base`: `of` (values of the base), `minus` (difference from the base), `per`
(ratio to the base) and `removed` (relative decrease from the base). The last three are
computed seed by seed.
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
from dsa.papers.comparison_text import format_mean_and_range
from dsa.papers.table_files import find_table
from dsa.system.reading import read_text
from dsa.system.text_tables import format_markdown_table
from dsa.tasks.seed_comparison import compare_over_seeds
from tools.docs_tables.records import read_records

FILE = Path(__file__).with_name("tables.yaml")
TABLES = yaml.safe_load(read_text(FILE))
OPTIONS = ("base", "*", "set", "paper")  # keys of a row that are not conditions
NUMBER = re.compile(r"(\+?)(points|each|range|lowest|highest|interval|low|high)(\d?)")
OPERATIONS = {
    "minus": lambda ours, base: ours - base,
    "per": lambda ours, base: ours / base,
    "removed": lambda ours, base: (base - ours) / base,
}


class Row(NamedTuple):
    """A row of a table.

    Attributes:
        label: text of the first cell; `None` for a row without label.
        records: records of the row.
        base: records with which the row is compared.
        star: replacement of `*` in keys.
        extra: additional values by key.
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
        """Returns `{seed: value}`, sorted by seed."""
        seeds = self.values("seed")
        if len(set(seeds)) < len(seeds):
            raise InputError(f"{self.label}: expected one run per seed")
        return dict(sorted(zip(seeds, self.values(key), strict=True)))


class Compared(NamedTuple):
    """A row compared with its base seed by seed, with one of `OPERATIONS`."""

    row: Row
    operation: str

    def values(self, key):
        """Returns the result of the operation for each seed."""
        base = self.row._replace(records=self.row.base)
        processors = {record["processor"] for record in base.records + self.row.records}
        row_values, base_values = self.row.by_seed(key), base.by_seed(key)
        if list(row_values) != list(base_values) or len(processors) > 1:
            raise InputError(
                f"{self.row.label}: expected runs of the same seeds on one kind of "
                f"processor. Received: {list(row_values)}, {list(base_values)}, "
                f"{sorted(processors)}"
            )
        compare = OPERATIONS[self.operation]
        return [compare(row_values[seed], base_values[seed]) for seed in row_values]


class Cell(string.Formatter):
    """Fills a template with the values of a row."""

    def get_field(self, field_name, args, kwargs):
        return args[0].values(field_name), field_name

    def format_field(self, value, format_spec):
        return format_values(value, format_spec)


def format_values(values, form):
    """Formats values as text; the module docstring lists the formats."""
    number = NUMBER.fullmatch(form)
    if number:
        sign, kind, digits = number.groups()
        form = f"{sign}.{digits or 2}f"
        if kind in ("interval", "low", "high"):
            low, high = (format(100 * end, form) for end in describe_mean(values)[1])
            return {"interval": f"{low} to {high}", "low": low, "high": high}[kind]
        shares = [100 * value for value in values]
        if kind == "range":
            return format_mean_and_range(shares, form)
        if kind == "each":
            return ", ".join(format(share, form) for share in shares)
        choose = {"points": statistics.mean, "lowest": min, "highest": max}[kind]
        return format(choose(shares), form)
    distinct = list(dict.fromkeys(values))
    if form == "list":
        return ", ".join(map(str, distinct))
    if len(distinct) != 1:
        raise InputError(f"expected equal values. Received: {distinct}")
    return json.dumps(distinct[0]) if form == "json" else format(distinct[0], form)


def describe_mean(values):
    """Returns the mean of values over seeds, and its 95 % t interval."""
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
    return format_markdown_table([*heading, *columns], lines)


def list_rows(name, checkout, tables=TABLES):
    """Returns the rows of a table, see `write_table`."""
    table = tables[name]
    records = read_records(table, checkout)
    where = table.get("where", {})
    if table["rows"] == "each":
        selected = select(records, where)
        return [
            Row(label=None, records=[record], base=[], star="", extra={})
            for record in selected
        ]
    rows = []
    for label, options in table["rows"].items():
        if not isinstance(options, dict):
            options = {"run": options}
        conditions = {k: v for k, v in options.items() if k not in OPTIONS}
        conditions = {**where, **conditions}
        base_folder = options.get("base", table.get("base"))
        base = select(records, {"run": base_folder}) if base_folder else []
        extra = {"paper": "-", **options.get("set", {})}
        if "paper" in options:
            extra["paper"] = find_paper_number(**options["paper"])
        selected = select(records, conditions)
        if not selected:
            raise InputError(f"no records of '{label}': {conditions}")
        selected.sort(key=lambda record: record.get("seed", 0))
        row = Row(
            label=str(label),
            records=selected,
            base=base,
            star=options.get("*", ""),
            extra=extra,
        )
        rows += _split_row(row, table["by"]) if "by" in table else [row]
    for key in table.get("same", ()):
        if len({tuple(sorted(row.values(key))) for row in rows}) > 1:
            raise InputError(f"the rows of the table '{name}' differ in '{key}'")
    if "sort" in table:
        rows.sort(key=lambda row: -statistics.mean(row.values(table["sort"])))
    return rows


def _split_row(row, key):
    """Returns a row for each value of a key. Its base has the same value of the key."""
    values = dict.fromkeys(row.values(key))
    return [
        row._replace(
            records=select(row.records, {key: value}),
            base=select(row.base, {key: value}),
        )
        for value in values
    ]


def select(records, conditions):
    """Returns the records that satisfy all conditions."""
    return [record for record in records if matches(record, conditions)]


def matches(record, conditions):
    """Returns whether a record satisfies all conditions."""
    for key, allowed in conditions.items():
        allowed = allowed if isinstance(allowed, list) else [allowed]
        if isinstance(record.get(key), Path):
            path = record[key]
            folders = {str(path), *map(str, path.parents)}
            endings = tuple(f"results/{name}" for name in allowed)
            if not any(folder.endswith(endings) for folder in folders):
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


def find_paper_number(table, model, minus=None, points=False):
    """Returns a number of a paper's table as text.

    Args:
        table: name of the table.
        model: name of the model.
        minus: name of a model to subtract. The result is the signed difference in
            points.
        points: whether to convert a fraction to per cent; ignored with `minus`.
    """
    source = find_table(table).source
    number = source.find_number(model)
    scale, form = (100, ".2f") if number.value < 1 else (1, ".1f")
    if minus is not None:
        gain = number.value - source.find_number(minus).value
        return format(scale * gain, f"+{form}")
    return format(scale * number.value, form) if points else number.text
