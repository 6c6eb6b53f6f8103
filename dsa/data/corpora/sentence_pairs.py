"""Pairs that say the same or do not, and pairs with a score.

MSRP: Dolan et al. 2004; tab-separated columns below a header line, UTF-8 with a byte
order mark, no quoting though texts hold quotes.

Quora: the official file of 2017 (quoradata.quora.com, "First Quora Dataset Release"),
tab-separated below a header line, with quoted fields that hold line ends; and the split
of Wang et al. 2017 (BiMPM), label, question, question, number, without header or
quotes. UTF-8, with some broken characters.

SICK: Marelli et al. 2014, SemEval-2014 task 1; tab-separated columns below a header
line, UTF-8, the test file with CRLF. It also has an entailment judgment.

STS-B: Cer et al. 2017, http://ixa2.si.ehu.eus/stswiki; tab-separated though called
`.csv`, no header, no quoting, UTF-8: genre, file, year, number, score, two sentences,
and after them sometimes two sources.
"""

import logging
from collections.abc import Iterator
from pathlib import Path

from dsa.data.corpora.columns import (
    parse_binary_label,
    parse_score,
    read_named_columns,
    read_quoted_rows,
    split_tabs,
)
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.relatedness import Relatedness

MSRP_COLUMNS = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")
QUORA_COLUMNS = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
SICK_COLUMNS = ("pair_ID", "sentence_A", "sentence_B")
SCORE, JUDGMENT = "relatedness_score", "entailment_judgment"
REPLACEMENT = "\ufffd"
log = logging.getLogger(__name__)


def read_msrp(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every pair; `Quality` 0 is the task's first label."""
    rows = read_named_columns(split_tabs(read_lines(path)), path, MSRP_COLUMNS)
    for number, row in rows:
        place = f"{path}, row {number}"
        label = parse_binary_label(row["Quality"], task, "'Quality'", place)
        texts = (row["#1 String"], row["#2 String"])
        name = f"{row['#1 ID']}-{row['#2 ID']}"
        yield Example(texts, label, name, None, None, number)


def read_quora(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every pair; 0 is the task's first label. Questions can be
    empty. The first line tells the format. What is no UTF-8 becomes U+FFFD, and its
    rows are counted in the log."""
    _, first = next(read_lines(path, errors="replace"), (0, ""))
    official = first.split("\t") == QUORA_COLUMNS
    broken = 0
    for number, row in (_read_official if official else _read_bimpm)(path):
        name, *texts, label = row
        label = parse_binary_label(label, task, "the label", f"{path}, row {number}")
        broken += any(REPLACEMENT in text for text in texts)
        yield Example(tuple(texts), label, name, None, None, number)
    if broken:
        log.warning("%s: %d rows hold broken characters", path, broken)


def _read_official(path):
    """Yield row number and (name, two questions, label)."""
    for number, row in read_quoted_rows(path, errors="replace"):
        yield number, [row[QUORA_COLUMNS[column]] for column in (0, 3, 4, 5)]


def _read_bimpm(path):
    """As `_read_official`."""
    for number, fields in split_tabs(read_lines(path, errors="replace")):
        if len(fields) != 4:
            raise InputError(
                f"{path}, line {number}: label, two questions and a number are needed. "
                f"Received: {len(fields)} fields"
            )
        label, *texts, name = fields
        yield number, [name, *texts, label]


def read_sick_scores(path: Path | str, task: Relatedness) -> Iterator[Example]:
    """Yields an `Example` for every pair, labelled by its score."""
    for number, row, pair in _read_sick(path, SCORE):
        label = parse_score(row[SCORE], task, f"{path}, row {number}")
        yield pair._replace(label=label)


def read_sick_judgments(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every pair, labelled by its judgment."""
    for number, row, pair in _read_sick(path, JUDGMENT):
        label = row[JUDGMENT].lower()
        if label not in task.labels:
            raise InputError(
                f"{path}, row {number}: unknown judgment {row[JUDGMENT][:20]!r}"
            )
        yield pair._replace(label=label)


def _read_sick(path, label):
    """Yield row number, columns, and the `Example` without its label."""
    lines = split_tabs(read_lines(path))
    for number, row in read_named_columns(lines, path, (*SICK_COLUMNS, label)):
        name, *texts = (row[column] for column in SICK_COLUMNS)
        yield number, row, Example(tuple(texts), None, name, None, None, number)


def read_stsb(path: Path | str, task: Relatedness) -> Iterator[Example]:
    """Yields an `Example` for every pair; the genre is its group."""
    for number, fields in split_tabs(read_lines(path)):
        place = f"{path}, line {number}"
        if not 7 <= len(fields) <= 9:
            raise InputError(f"{place}: {len(fields)} fields, 7 to 9 are needed")
        genre, source, year, name, score, *texts = fields[:7]
        label, name = parse_score(score, task, place), f"{source}-{year}-{name}"
        yield Example(tuple(texts), label, name, genre, None, number)
