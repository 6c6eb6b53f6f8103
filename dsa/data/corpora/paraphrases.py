"""Pairs that say the same, or do not: Microsoft's paraphrases and Quora's questions.

MSRP: Dolan et al. 2004; tab-separated columns below a header line, UTF-8 with a byte
order mark, no quoting though texts hold quotes.

Quora: the official file of 2017 (quoradata.quora.com, "First Quora Dataset Release"),
tab-separated below a header line, with quoted fields that hold line ends; and the split
of Wang et al. 2017 (BiMPM), label, question, question, number, without header or
quotes. UTF-8, with some broken characters.
"""

import csv
import logging
from collections.abc import Iterator
from pathlib import Path

from dsa.data.corpora.columns import read_columns
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification

MSRP_COLUMNS = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")
QUORA_COLUMNS = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
REPLACEMENT = "\ufffd"
log = logging.getLogger(__name__)


def read_msrp(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yield an `Example` for every pair; `Quality` 0 is the task's first label.

    Args:
        path: the file, also gzipped.
        task: the `Classification` with two labels.

    Raises: `InputError` with file, line and reason for a malformed row or another
        label.
    """
    for number, row in read_columns(path, MSRP_COLUMNS):
        if row["Quality"] not in ("0", "1"):
            raise InputError(
                f"{path}, line {number}: 'Quality' must be 0 or 1. Received: "
                f"{row['Quality'][:20]!r}"
            )
        label = task.labels[int(row["Quality"])]
        texts = (row["#1 String"], row["#2 String"])
        name = f"{row['#1 ID']}-{row['#2 ID']}"
        yield Example(texts, label, name, None, None, number)


def read_quora(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yield an `Example` for every pair; 0 is the task's first label. Questions can be
    empty. What is no UTF-8 becomes U+FFFD, and its rows are counted in the log.

    Args:
        path: the file, also gzipped; its first line tells the format.
        task: the `Classification` with two labels.

    Raises: `InputError` with file, line and reason for a malformed row, another label,
        and a quote that is never closed.
    """
    broken = 0
    for number, name, texts, label in _read_quora_rows(path):
        if label not in ("0", "1"):
            raise InputError(
                f"{path}, line {number}: the label must be 0 or 1. Received: "
                f"{label[:20]!r}"
            )
        broken += any(REPLACEMENT in text for text in texts)
        yield Example(tuple(texts), task.labels[int(label)], name, None, None, number)
    if broken:
        log.warning("%s: %d rows hold broken characters", path, broken)


def _read_quora_rows(path):
    """Yield (line, name, two questions, label)."""
    lines = read_lines(path, errors="replace")
    first = next(lines, None)
    if first is None:
        return
    if first[1].split("\t") == QUORA_COLUMNS:
        yield from _read_official(lines, path)
        return
    yield _split_row(*first, path)
    for number, line in lines:
        yield _split_row(number, line, path)


def _split_row(number, line, path):
    fields = line.split("\t")
    if len(fields) != 4:
        raise InputError(
            f"{path}, line {number}: label, two questions and a number are needed. "
            f"Received: {len(fields)} fields"
        )
    label, *texts, name = fields
    return number, name, texts, label


def _read_official(lines, path):
    rows = csv.reader((f"{line}\n" for _, line in lines), delimiter="\t", strict=True)
    try:
        for row in rows:
            number = rows.line_num + 1  # the header's
            if len(row) != len(QUORA_COLUMNS):
                raise InputError(
                    f"{path}, line {number}: {len(row)} fields, but the header names "
                    f"{len(QUORA_COLUMNS)}"
                )
            name, _, _, *texts, label = row
            yield number, name, texts, label
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num + 1}: {error}") from error
