"""Tables with a header line, with and without quoting, and parsers of their fields."""

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
    """Yields `(row number, {column: text})` for each row of a table.

    The first row is the header and is not counted. Empty rows are skipped.

    Args:
        rows: numbered lists of fields.
        path: the file, for error messages.
        needed: the required columns.
        ragged: whether fields may be missing at the end of a row.

    Raises: `InputError` with file, row and reason for a missing or duplicate column,
        and for a row with a wrong number of fields.
    """
    header, number = None, 1
    for _, fields in rows:
        if header is None:
            header = fields
            _check_header(header, needed, path)
        elif len(fields) > len(header) or 0 < len(fields) < len(header) and not ragged:
            raise InputError(
                f"{path}, row {number}: {len(fields)} fields, but the header has "
                f"{len(header)} columns"
            )
        elif fields:
            yield number, dict(zip(header, fields, strict=False))
            number += 1


def _check_header(header, needed, path):
    line = "\t".join(header)
    # spreadsheets write empty names for empty columns
    duplicates = [name for n, name in enumerate(header) if name and name in header[:n]]
    if duplicates:
        raise InputError(f"{path}: duplicate column {duplicates[0]!r}")
    if not set(needed) <= set(header):
        raise InputError(
            f"{path}: the header line must contain the columns "
            f"{', '.join(needed[:-1])} and {needed[-1]}. Received: {line[:80]!r}"
        )


def split_tabs(lines: Iterable[tuple[int, str]], keep_empty: bool = True) -> Fields:
    """Yields `(line number, fields)` of tab-separated lines. With `keep_empty`, an
    empty line has one empty field, otherwise it has none."""
    for number, line in lines:
        yield number, line.split("\t") if line or keep_empty else []


def read_quoted_rows(
    path: Path | str, delimiter: str = "\t", errors: str = "strict"
) -> Rows:
    """Yields `(row number, {column: text})` of a table with double-quoted fields.

    Args:
        errors: as in `read_lines`.

    Raises: `InputError` with file, row and reason for malformed quoting, and as
        `read_named_columns`.
    """
    lines = (f"{line}\n" for _, line in read_lines(path, errors=errors))
    csv.field_size_limit(LONGEST_LINE)  # `check_text` limits the length of texts
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    number = 0
    try:
        for number, row in read_named_columns(enumerate(rows), path):
            yield number, row
    except csv.Error as error:
        raise InputError(f"{path}, row {number + 1}: {error}") from error


def parse_binary_label(text: str, task: Any, field: str, place: str) -> str:
    """Returns the first label of a task for "0" and the second for "1".

    Raises: `InputError` for any other text, naming the field.
    """
    if text not in ("0", "1"):
        raise InputError(f"{place}: {field} must be 0 or 1. Received: {text[:20]!r}")
    return task.labels[int(text)]


def parse_score(text: str, task: Any, place: str) -> float:
    """Returns the score of a row of a `Relatedness` task.

    Raises: `InputError` if the text is not a number within the scale of the task.
    """
    try:
        score = parse_number(text)
    except ValueError:
        score = math.nan
    if not task.lowest <= score <= task.highest:
        raise InputError(
            f"{place}: the score must be a number from {task.lowest} to "
            f"{task.highest}. Received: {text[:20]!r}"
        )
    return score
