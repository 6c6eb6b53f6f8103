"""Reads tables with a header line, and parses labels and scores."""

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dsa.data.corpora.files import MAX_LINE_BYTES, read_lines
from dsa.errors import InputError
from dsa.parsing import parse_number

Rows = Iterator[tuple[int, dict]]  # (row number counted from 1, {column: text})
Fields = Iterable[tuple[int, Sequence[str]]]  # (line number, fields)


def read_named_columns(
    rows: Fields, path: Path | str, required: Sequence[str] = (), ragged: bool = False
) -> Rows:
    """Yields `(row number, {column: text})` for each row of a table.

    The first row is the header and is not counted. Empty rows are skipped.

    Args:
        rows: numbered lists of fields, including the header.
        path: the file, for error messages.
        required: names of the required columns.
        ragged: whether fields may be missing at the end of a row.

    Raises: `InputError` if a required column is missing, a column name is repeated, or
        a row has a wrong number of fields.
    """
    header = None
    number = 1
    for _, fields in rows:
        if header is None:
            header = fields
            _check_header(header, required, path)
            continue
        is_short = 0 < len(fields) < len(header)
        if len(fields) > len(header) or (is_short and not ragged):
            raise InputError(
                f"{path}, row {number}: expected {len(header)} fields, as in the "
                f"header. Received: {len(fields)}"
            )
        if fields:
            yield number, dict(zip(header, fields, strict=False))
            number += 1


def _check_header(header, required, path):
    """Raises `InputError` if a name is repeated or a required column is missing."""
    names = set()
    for name in header:
        if name and name in names:  # spreadsheets write several empty names
            raise InputError(f"{path}: duplicate column {name!r}")
        names.add(name)
    if not names.issuperset(required):
        line = "\t".join(header)
        raise InputError(
            f"{path}: the header line must contain the columns "
            f"{', '.join(required[:-1])} and {required[-1]}. Received: {line[:80]!r}"
        )


def split_tabs(lines: Iterable[tuple[int, str]], keep_empty: bool = True) -> Fields:
    """Yields `(line number, fields)` of tab-separated lines.

    Args:
        lines: numbered lines.
        keep_empty: whether an empty line has one empty field. Otherwise, it has no
            fields.
    """
    for number, line in lines:
        if line or keep_empty:
            yield number, line.split("\t")
        else:
            yield number, []


def read_quoted_rows(
    path: Path | str, delimiter: str = "\t", errors: str = "strict"
) -> Rows:
    """Yields `(row number, {column: text})` of a table with double-quoted fields.

    Args:
        path: the file.
        delimiter: the separator of columns.
        errors: handling of undecodable bytes, as in `read_lines`.

    Raises: `InputError` if the quoting is malformed, or as in `read_named_columns`.
    """
    lines = (f"{line}\n" for _, line in read_lines(path, errors=errors))
    csv.field_size_limit(MAX_LINE_BYTES)  # `check_text` limits the texts
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    number = 0
    try:
        for number, row in read_named_columns(enumerate(rows), path):
            yield number, row
    except csv.Error as error:
        raise InputError(f"{path}, row {number + 1}: {error}") from error


def parse_binary_label(text: str, task: Any, field: str, location: str) -> str:
    """Returns the first label of a task for "0" and the second for "1".

    Args:
        text: text of the field.
        task: the task of the labels.
        field: description of the field for error messages.
        location: file and row for error messages.

    Raises: `InputError` if the text is neither "0" nor "1".
    """
    if text not in ("0", "1"):
        raise InputError(f"{location}: {field} must be 0 or 1. Received: {text[:20]!r}")
    return task.labels[int(text)]


def parse_score(text: str, task: Any, location: str) -> float:
    """Parses the score of a row.

    Args:
        text: text of the field.
        task: a `Relatedness` task.
        location: file and row for error messages.

    Raises: `InputError` if the text is not a number within the scale of the task.
    """
    try:
        score = parse_number(text)
    except ValueError:
        score = math.nan
    if not task.lowest <= score <= task.highest:
        raise InputError(
            f"{location}: the score must be a number from {task.lowest} to "
            f"{task.highest}. Received: {text[:20]!r}"
        )
    return score
