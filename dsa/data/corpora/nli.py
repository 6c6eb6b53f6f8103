"""SNLI's and MultiNLI's two formats, `.jsonl` and tab-separated `.txt`, also gzipped.

Bowman et al. 2015, https://nlp.stanford.edu/projects/snli/, and Williams et al. 2018,
https://cims.nyu.edu/~sbowman/multinli/. Of the columns only `sentence1` and `sentence2`
are needed, and `gold_label` in a labelled corpus; MultiNLI's `genre` becomes the group.
"""

import json
from pathlib import Path

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.texts import refuse_unreadable
from dsa.errors import InputError

NO_LABEL = ("-", "hidden")  # no majority among the annotators; kept back by MultiNLI


def read_nli(path, task, labelled=True):
    """Yield an `Example` for every row of an SNLI or MultiNLI file.

    Args:
        path: `.jsonl` or `.txt`, either with `.gz` behind it.
        task: the `Classification` whose labels may occur beside `-` and `hidden`.
        labelled: whether a row without `gold_label` is an error.

    Raises: `InputError` with file, line and reason for a malformed row, an unknown
        label, or a file without any row.
    """
    suffix = Path(str(path).removesuffix(".gz")).suffix
    rows = tab_separated_rows if suffix in (".txt", ".tsv") else json_rows
    line = None
    for line, row in rows(read_lines(path), path):
        place = f"{path}, line {line}"
        label = _label(row, place, task.labels, labelled)
        yield pair_of(row, line, place)._replace(label=label)
    if line is None:
        raise InputError(f"{path}: no rows")


def json_rows(lines, path):
    """Yield `(number, dictionary)` of numbered JSON lines."""
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = str(error) or type(error).__name__
            raise InputError(f"{path}, line {number}: not JSON: {reason}") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: not a JSON object")
        yield number, row


def tab_separated_rows(lines, path):
    """Yield `(number, dictionary)` of numbered lines below a header line.

    Fields can be missing at the end of a line.
    """
    columns = None
    for number, line in lines:
        fields = line.split("\t")
        if columns is None:
            columns = fields
            if len(set(columns)) < len(columns):
                raise InputError(f"{path}, line {number}: a column is named twice")
            if not {"sentence1", "sentence2"} <= set(columns):
                raise InputError(
                    f"{path}, line {number}: a header line that names the columns "
                    f"sentence1 and sentence2 is needed. Received: {line[:80]!r}"
                )
        elif len(fields) > len(columns):
            raise InputError(
                f"{path}, line {number}: {len(fields)} fields, but the header names "
                f"{len(columns)} columns"
            )
        elif line:
            yield number, dict(zip(columns, fields, strict=False))


def _text(row, name, place):
    if not isinstance(row.get(name), str):
        problem = "is missing" if name not in row else "is not a text"
        raise InputError(f"{place}: '{name}' {problem}")
    refuse_unreadable(row[name], f"{place}: '{name}'")
    return row[name]


def _label(row, place, labels, labelled):
    if not labelled and "gold_label" not in row:
        return None
    label = _text(row, "gold_label", place)
    if label in NO_LABEL:
        return None
    if label not in labels:
        raise InputError(
            f"{place}: unknown label {label!r}. Known: {', '.join(labels)}, and "
            f"{', '.join(NO_LABEL)} for none"
        )
    return label


def _name(value):
    return str(value).encode(errors="replace").decode()


def pair_of(row, line, place):
    """The `Example` of a row, its label left out."""
    parses = (row.get("sentence1_binary_parse"), row.get("sentence2_binary_parse"))
    for parse in parses:
        if isinstance(parse, str):
            refuse_unreadable(parse, f"{place}: the parse")
    genre, pair_id = row.get("genre"), row.get("pairID")
    return Example(
        texts=(_text(row, "sentence1", place), _text(row, "sentence2", place)),
        label=None,
        id=None if pair_id is None else _name(pair_id),
        group=None if genre is None else _name(genre),
        parses=parses if all(isinstance(p, str) for p in parses) else None,
        line=line,
    )
