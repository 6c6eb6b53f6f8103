"""Tab-separated columns below a header line, without quoting, and scores in them."""

import math

from dsa.console.plain_numbers import parse_number
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
