"""Files to predict or to encode: pairs of sentences, single sentences, or questions.

Pairs are JSON lines, a table with a header, or two columns; single sentences are JSON
lines, or one text a line; questions with their answers: `question_files`.
"""

import itertools

from dsa.data.corpora.example import Example, check_examples
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.nli import make_pair, read_json_rows, read_table_rows
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
    return check_examples(_read_pairs(path), path, "pairs")


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
    return check_examples(_read_sentences(path), path, "sentences")


def _read_pairs(path):
    first, lines = read_first_line(path)
    if first.lstrip().startswith("{"):
        rows = read_json_rows(lines, path)
    elif {"sentence1", "sentence2"} <= set(first.split("\t")):
        rows = read_table_rows(lines, path)
    else:
        rows = _read_two_columns(lines, path)
    for number, row in rows:
        yield make_pair(row, number, f"{path}, line {number}")


def _read_two_columns(lines, path):
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != 2:
            raise InputError(
                f"{path}, line {number}: premise, tab, hypothesis are needed. "
                f"Received: {len(fields)} fields"
            )
        yield number, {"sentence1": fields[0], "sentence2": fields[1]}


def _read_sentences(path):
    first, lines = read_first_line(path)
    lines = _check_blank_lines(lines, path)
    if first.lstrip().startswith("{"):
        rows = read_json_rows(lines, path)
    else:
        rows = _read_one_column(lines, path)
    for number, row in rows:
        text, name = row.get("sentence"), row.get("id")
        if not isinstance(text, str):
            raise InputError(
                f"{path}, line {number}: 'sentence' is missing, or is not a text"
            )
        if not text.strip():
            raise InputError(f"{path}, line {number}: the sentence is empty")
        name = None if name is None else str(name)
        yield Example((text,), None, name, None, None, number)


def _read_one_column(lines, path):
    for number, line in lines:
        if "\t" in line:
            raise InputError(
                f"{path}, line {number}: a tab, as between two sentences; a line must "
                "be a single sentence"
            )
        yield number, {"sentence": line}


def _check_blank_lines(lines, path):
    for number, line in lines:
        if not line.strip():
            raise InputError(f"{path}, line {number}: the sentence is empty")
        yield number, line


def read_first_line(path):
    """The first line, empty for a file without any; and all numbered lines."""
    lines = read_lines(path)
    first = list(itertools.islice(lines, 1))
    text = first[0][1] if first else ""
    return text, itertools.chain(first, lines)
