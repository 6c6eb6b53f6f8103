"""Columns below a header line, with and without quoting, and what stands in them."""

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dsa.config_section import parse_number
from dsa.data.corpora.files import LONGEST_LINE, read_lines
from dsa.errors import InputError

Rows = Iterator[tuple[int, dict]]  # row number, from 1, {column: text}
Fields = Iterable[tuple[int, Sequence[str]]]  # line number, fields


def read_named_columns(
    rows: Fields, path: Path | str, needed: Sequence[str] = (), ragged: bool = False
) -> Rows:
    """Yields `(row number, {column: text})` of rows of fields, of which the first one
    names the columns, the `needed` ones among them, and is not counted. Rows without
    any field are left out; `ragged`: whether fields can be missing at the end of a row.

    Raises: `InputError` with file, row and reason for a column that is missing or
        named twice, and a row with another number of fields.
    """
    header, number = None, 1
    for _, fields in rows:
        if header is None:
            header = fields
            _check_header(header, needed, path)
        elif len(fields) > len(header) or 0 < len(fields) < len(header) and not ragged:
            raise InputError(
                f"{path}, row {number}: {len(fields)} fields, but the header names "
                f"{len(header)} columns"
            )
        elif fields:
            yield number, dict(zip(header, fields, strict=False))
            number += 1


def _check_header(header, needed, path):
    line = "\t".join(header)
    twice = [name for n, name in enumerate(header) if name in header[:n]]
    if twice:
        raise InputError(f"{path}: a column is named twice: {twice[0]!r}")
    if not set(needed) <= set(header):
        raise InputError(
            f"{path}: a header line that names the columns {', '.join(needed[:-1])} "
            f"and {needed[-1]} is needed. Received: {line[:80]!r}"
        )


def split_tabs(lines: Iterable[tuple[int, str]], keep_empty: bool = True) -> Fields:
    """Yields the fields of numbered lines; an empty line has none, or with `keep_empty`
    one that is empty."""
    for number, line in lines:
        yield number, line.split("\t") if line or keep_empty else []


def read_quoted_rows(
    path: Path | str, delimiter: str = "\t", errors: str = "strict"
) -> Rows:
    """Yields `(row number, {column: text})` of a file whose fields can be in double
    quotes; `errors` as `read_lines`.

    Raises: `InputError` with file, row and reason for wrong quotes and as
        `read_named_columns`.
    """
    lines = (f"{line}\n" for _, line in read_lines(path, errors=errors))
    csv.field_size_limit(LONGEST_LINE)  # longer texts are refused by their characters
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    number = 0
    try:
        for number, row in read_named_columns(enumerate(rows), path):
            yield number, row
    except csv.Error as error:
        raise InputError(f"{path}, row {number + 1}: {error}") from error


def parse_binary_label(text: str, task: Any, what: str, place: str) -> str:
    """Returns the first or second label of a task, for a field that is 0 or 1.

    Raises: `InputError` for another text; `what` names the field.
    """
    if text not in ("0", "1"):
        raise InputError(f"{place}: {what} must be 0 or 1. Received: {text[:20]!r}")
    return task.labels[int(text)]


def parse_score(text: str, task: Any, place: str) -> float:
    """Returns a text as a score of a `Relatedness` task.

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
