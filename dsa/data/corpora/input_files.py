"""Pairs to predict: JSON lines, a table with a header, or two columns."""

import itertools

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.nli import json_rows, pair_of, tab_separated_rows
from dsa.data.corpora.texts import refuse_unreadable
from dsa.errors import InputError


def read_pairs(path):
    """Yield an `Example` without label for every pair of a file.

    The first line tells the format: a JSON object, a header that names `sentence1` and
    `sentence2`, or premise, tab, hypothesis.

    Args:
        path: the file, also gzipped; "-" for standard input.

    Raises: `InputError` with file, line and reason for a malformed line, or a file
        without any pair.
    """
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{path}: no pairs")
    lines = itertools.chain([first], lines)
    if first[1].lstrip().startswith("{"):
        rows = json_rows(lines, path)
    elif {"sentence1", "sentence2"} <= set(first[1].split("\t")):
        rows = tab_separated_rows(lines, path)
    else:
        yield from _two_columns(lines, path)
        return
    number = None
    for number, row in rows:
        yield pair_of(row, number, f"{path}, line {number}")
    if number is None:
        raise InputError(f"{path}: no pairs")


def _two_columns(lines, path):
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != 2:
            raise InputError(
                f"{path}, line {number}: premise, tab, hypothesis are needed. "
                f"Received: {len(fields)} fields"
            )
        for field in fields:
            refuse_unreadable(field, f"{path}, line {number}: the text")
        yield Example(tuple(fields), None, None, None, None, number)
