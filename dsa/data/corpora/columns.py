"""Columns below a header line, with and without quoting, and scores in them."""

import csv
import math

from dsa.config_section import parse_number
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError


def read_columns(path, names):
    """Yield `(line number, {column: text})` of a file, only the named columns.

    Args:
        path: the file, also gzipped.
        names: the columns' names in the header line.

    Raises: `InputError` with file, line and reason for a header without one of them,
        and a row with another number of fields.
    """
    header = None
    for number, line in read_lines(path):
        fields = line.split("\t")
        place = f"{path}, line {number}"
        if header is None:
            header = fields
            missing = [name for name in names if header.count(name) != 1]
            if missing:
                raise InputError(
                    f"{place}: a header line that names the column {missing[0]} once "
                    f"is needed. Received: {line[:80]!r}"
                )
            continue
        if len(fields) != len(header):
            raise InputError(
                f"{place}: {len(fields)} fields, but the header names {len(header)}"
            )
        row = dict(zip(header, fields, strict=True))
        yield number, {name: row[name] for name in names}


def read_quoted_rows(path, delimiter):
    """Yield `(line number, {column: text})` of a file whose fields can be in double
    quotes.

    Args:
        path: the file, also gzipped.
        delimiter: what separates the fields.

    Raises: `InputError` with file, line and reason for wrong quotes and as
        `name_fields`.
    """
    lines = (f"{line}\n" for _, line in read_lines(path))
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        yield from name_fields(((rows.line_num, row) for row in rows), path)
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}") from error


def name_fields(rows, path):
    """Yield `(line number, {column: text})` of rows of fields, of which the first one
    names the columns. Empty lines are left out.

    Raises: `InputError` with file, line and reason for a column that is named twice,
        and a row with another number of fields.
    """
    header = None
    for line, fields in rows:
        place = f"{path}, line {line}"
        if header is None:
            header = fields
            if len(set(header)) < len(header):
                raise InputError(f"{place}: a column is named twice")
        elif fields and len(fields) != len(header):
            raise InputError(
                f"{place}: {len(fields)} fields, but the header names {len(header)} "
                "columns"
            )
        elif fields:
            yield line, dict(zip(header, fields, strict=True))


def parse_score(text, task, place):
    """A text as a score of a `Relatedness` task.

    Raises: `InputError` for a text that is no number, or one outside the scale.
    """
    try:
        score = parse_number(text)
    except ValueError:
        score = math.nan
    if not task.lowest <= score <= task.highest:
        raise InputError(
            f"{place}: a score from {task.lowest} to {task.highest} is needed. "
            f"Received: {text[:20]!r}"
        )
    return score
