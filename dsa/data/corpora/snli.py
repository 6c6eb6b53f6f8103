"""SNLI's two formats, `.jsonl` and tab-separated `.txt`, each also gzipped.

Bowman et al. 2015, https://nlp.stanford.edu/projects/snli/. Of the columns only
`sentence1` and `sentence2` are needed, and `gold_label` in a labelled corpus.
"""

import json
from pathlib import Path

from dsa.data.example import Example
from dsa.data.files import read_lines
from dsa.errors import InputError

NO_LABEL = ("-", "hidden")  # no majority among the annotators; kept back by MultiNLI


def read_snli(path, labels, labelled=True):
    """Yield an `Example` for every row of an SNLI file.

    Args:
        path: `.jsonl` or `.txt`, either with `.gz` behind it.
        labels: the labels that may occur beside `-` and `hidden`.
        labelled: whether a row without `gold_label` is an error.

    Raises: `InputError` with file, line and reason for a malformed row, an unknown
        label, or a file without any row.
    """
    suffix = Path(str(path).removesuffix(".gz")).suffix
    rows = _tab_separated_rows(path) if suffix in (".txt", ".tsv") else _json_rows(path)
    line = None
    for line, row in rows:
        yield _example(row, line, f"{path}, line {line}", labels, labelled)
    if line is None:
        raise InputError(f"{path}: no rows")


def _json_rows(path):
    for number, line in read_lines(path):
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


def _tab_separated_rows(path):
    columns = None
    for number, line in read_lines(path):
        fields = line.split("\t")
        if columns is None:
            columns = fields
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


def _example(row, line, place, labels, labelled):
    for name in ("sentence1", "sentence2", *(["gold_label"] if labelled else [])):
        if not isinstance(row.get(name), str):
            problem = "is missing" if name not in row else "is not a text"
            raise InputError(f"{place}: '{name}' {problem}")
    label = row.get("gold_label")
    if label in NO_LABEL:
        label = None
    elif label is not None and label not in labels:
        raise InputError(
            f"{place}: unknown label {label!r}. Known: {', '.join(labels)}, and "
            f"{', '.join(NO_LABEL)} for none"
        )
    parses = (row.get("sentence1_binary_parse"), row.get("sentence2_binary_parse"))
    genre = row.get("genre")
    return Example(
        premise=row["sentence1"],
        hypothesis=row["sentence2"],
        label=label,
        id=str(row.get("pairID", line)),
        group=None if genre is None else str(genre),
        parses=parses if all(isinstance(p, str) for p in parses) else None,
        line=line,
    )
