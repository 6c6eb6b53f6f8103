"""Quora's question pairs: duplicates, or not.

The official file of 2017 (quoradata.quora.com, "First Quora Dataset Release"),
tab-separated below a header line, with quoted fields that hold line ends; and the
split of Wang et al. 2017 (BiMPM), label, question, question, number, without header or
quotes. UTF-8, with some broken characters.
"""

import csv
import logging

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError

HEADER = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
REPLACEMENT = "\ufffd"
log = logging.getLogger(__name__)


def read_quora(path, task):
    """Yield an `Example` for every pair; 0 is the task's first label. Questions can be
    empty. What is no UTF-8 becomes U+FFFD, and its rows are counted in the log.

    Args:
        path: the file, also gzipped; its first line tells the format.
        task: the `Classification` with two labels.

    Raises: `InputError` with file, line and reason for a malformed row, another label,
        and a quote that is never closed.
    """
    broken = 0
    for number, name, texts, label in _rows(path):
        if label not in ("0", "1"):
            raise InputError(
                f"{path}, line {number}: the label must be 0 or 1. Received: "
                f"{label[:20]!r}"
            )
        broken += any(REPLACEMENT in text for text in texts)
        yield Example(tuple(texts), task.labels[int(label)], name, None, None, number)
    if broken:
        log.warning("%s: %d rows hold broken characters", path, broken)


def _rows(path):
    """Yield (line, name, two questions, label)."""
    lines = read_lines(path, errors="replace")
    first = next(lines, None)
    if first is None:
        return
    if first[1].split("\t") == HEADER:
        yield from _official(lines, path)
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


def _official(lines, path):
    rows = csv.reader((f"{line}\n" for _, line in lines), delimiter="\t", strict=True)
    try:
        for row in rows:
            number = rows.line_num + 1  # the header's
            if len(row) != len(HEADER):
                raise InputError(
                    f"{path}, line {number}: {len(row)} fields, but the header names "
                    f"{len(HEADER)}"
                )
            name, _, _, *texts, label = row
            yield number, name, texts, label
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num + 1}: {error}") from error
