"""Single sentences to predict or to encode: JSON lines, or one text a line."""

import itertools

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.nli import json_rows
from dsa.data.corpora.texts import refuse_unreadable
from dsa.errors import InputError


def read_sentences(path):
    """Yield an `Example` without label for every sentence of a file.

    Args:
        path: the file, also gzipped; "-" for standard input. If its first line is a
            JSON object, all are, with `sentence` and, if there is one, `id`; else every
            line is a sentence.

    Raises: `InputError` with file, line and reason for an empty line, which would shift
        what is made of the others, one with a tab, a malformed one, or a file without
        any line.
    """
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{path}: no sentences")
    lines = _without_blanks(itertools.chain([first], lines), path)
    if first[1].lstrip().startswith("{"):
        rows = (
            (n, row.get("sentence"), row.get("id")) for n, row in json_rows(lines, path)
        )
    else:
        rows = ((number, line, None) for number, line in _without_tabs(lines, path))
    for number, text, name in rows:
        place = f"{path}, line {number}"
        if not isinstance(text, str):
            raise InputError(f"{place}: 'sentence' is missing, or is not a text")
        if not text.strip():
            raise InputError(f"{place}: the sentence is empty")
        refuse_unreadable(text, place)
        name = None if name is None else str(name)
        yield Example((text,), None, name, None, None, number)


def _without_tabs(lines, path):
    for number, line in lines:
        if "\t" in line:
            raise InputError(
                f"{path}, line {number}: a tab, as between two sentences; a line is to "
                "be a single one"
            )
        yield number, line


def _without_blanks(lines, path):
    for number, line in lines:
        if not line.strip():
            raise InputError(f"{path}, line {number}: the sentence is empty")
        yield number, line
