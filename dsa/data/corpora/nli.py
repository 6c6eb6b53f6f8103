"""SNLI's and MultiNLI's two formats, `.jsonl` and tab-separated `.txt`, also gzipped.

Bowman et al. 2015, https://nlp.stanford.edu/projects/snli/, and Williams et al. 2018,
https://cims.nyu.edu/~sbowman/multinli/. Of the columns only `sentence1` and `sentence2`
are needed, and `gold_label` in a labelled corpus; MultiNLI's `genre` becomes the group.
"""

import json
from pathlib import Path

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError

NO_LABEL = ("-", "hidden")  # no majority among the annotators; kept back by MultiNLI


def read_nli(path, task, labelled=True):
    """Yield an `Example` for every row of an SNLI or MultiNLI file.

    Args:
        path: `.jsonl` or `.txt`, or one of them gzipped, `.jsonl.gz` or `.txt.gz`.
        task: the `Classification` whose labels may occur, besides `-` and `hidden`.
        labelled: whether a row without `gold_label` is an error.

    Raises: `InputError` with file, line and reason for a malformed row or an unknown
        label.
    """
    suffix = Path(str(path).removesuffix(".gz")).suffix
    read_rows = read_table_rows if suffix in (".txt", ".tsv") else read_json_rows
    for line, row in read_rows(read_lines(path), path):
        place = f"{path}, line {line}"
        label = _read_label(row, place, task.labels, labelled)
        yield make_pair(row, line, place)._replace(label=label)


def read_json_rows(lines, path):
    """Yield `(number, dictionary)` of numbered JSON lines."""
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_make_object)
        except _KeyTwice as error:
            raise InputError(f"{path}, line {number}: {error}") from error
        except (ValueError, RecursionError) as error:
            reason = str(error) or type(error).__name__
            raise InputError(f"{path}, line {number}: not JSON: {reason}") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: not a JSON object")
        yield number, row


class _KeyTwice(Exception):
    pass


def _make_object(pairs):
    """A JSON object, which must not have two values of one key."""
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _KeyTwice(f"the key {twice[:40]!r} is given twice")
    return row


def read_table_rows(lines, path):
    """Yield `(number, dictionary)` of numbered tab-separated lines, of which the first
    one names the columns.

    Fields can be missing at the end of a line.
    """
    columns = None
    for number, line in lines:
        fields = line.split("\t")
        if columns is None:
            columns = fields
            _check_header(columns, line, f"{path}, line {number}")
        elif len(fields) > len(columns):
            raise InputError(
                f"{path}, line {number}: {len(fields)} fields, but the header names "
                f"{len(columns)} columns"
            )
        elif line:
            yield number, dict(zip(columns, fields, strict=False))


def _check_header(columns, line, place):
    if len(set(columns)) < len(columns):
        raise InputError(f"{place}: a column is named twice")
    if not {"sentence1", "sentence2"} <= set(columns):
        raise InputError(
            f"{place}: a header line that names the columns sentence1 and sentence2 "
            f"is needed. Received: {line[:80]!r}"
        )


def make_pair(row, line, place):
    """The `Example` of a row, its label left out.

    Args:
        row: a dictionary with `sentence1` and `sentence2`.
        line: its line in the file.
        place: file and line, for errors.
    """
    parses = (row.get("sentence1_binary_parse"), row.get("sentence2_binary_parse"))
    return Example(
        texts=(
            _read_text(row, "sentence1", place),
            _read_text(row, "sentence2", place),
        ),
        label=None,
        id=_make_name(row.get("pairID")),
        group=_make_name(row.get("genre")),
        parses=parses if all(isinstance(parse, str) for parse in parses) else None,
        line=line,
    )


def _read_label(row, place, labels, labelled):
    if not labelled and "gold_label" not in row:
        return None
    label = _read_text(row, "gold_label", place)
    if label in NO_LABEL:
        return None
    if label not in labels:
        raise InputError(
            f"{place}: unknown label {label[:40]!r}. Known: {', '.join(labels)}, and "
            f"{', '.join(NO_LABEL)} for none"
        )
    return label


def _read_text(row, name, place):
    if not isinstance(row.get(name), str):
        problem = "is missing" if name not in row else "is not a text"
        raise InputError(f"{place}: '{name}' {problem}")
    return row[name]


def _make_name(value):
    """A field as a text that UTF-8 can hold; `None` for none."""
    return None if value is None else str(value).encode(errors="replace").decode()
