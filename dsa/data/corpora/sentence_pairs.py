"""Readers of paraphrase and similarity corpora.

MSRP: Dolan et al. 2004. Tab-separated with a header line, in UTF-8 with a byte order
mark. Quotation marks in texts are not quoting. GLUE's MRPC has the same columns.

Quora: the official file of 2017 (quoradata.quora.com, "First Quora Dataset Release") is
tab-separated with a header line and has quoted fields with line breaks; Kaggle's
`train.csv` has the same columns, separated by commas. The split of Wang et al. 2017
(BiMPM) has the columns label, question, question, number, without header or quoting.
All are in UTF-8 with some invalid bytes.

SICK: Marelli et al. 2014, SemEval-2014 task 1. Tab-separated with a header line, in
UTF-8, the test file with CRLF. Rows have a score and an entailment judgment, which
`SICK.txt`, the file of all splits, names `entailment_label`.

STS-B: Cer et al. 2017, http://ixa2.si.ehu.eus/stswiki. Tab-separated despite the name
`.csv`, without header or quoting, in UTF-8: genre, file, year, number, score, two
sentences, and optionally two sources. GLUE's `.tsv` has a header line, and data sets of
Hugging Face have the keys `sentence1`, `sentence2`, and `label` or `score`.
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
from dsa.data.corpora.example import Example, to_id
from dsa.data.corpora.files import read_first_line, read_lines
from dsa.data.corpora.nli import read_json_file
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.relatedness import Relatedness

MSRP_COLUMNS = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")
QUORA_COLUMNS = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
SICK_COLUMNS = ("pair_ID", "sentence_A", "sentence_B")
SCORE, JUDGMENTS = "relatedness_score", ("entailment_judgment", "entailment_label")
STSB_COLUMNS = ("sentence1", "sentence2", "score")  # of GLUE
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
    """Yields an `Example` for every pair. 0 is the first label of the task. Questions
    may be empty.

    The format is inferred from the first line. Invalid bytes are replaced by U+FFFD,
    and the number of affected rows is logged.
    """
    first = read_first_line(path, errors="replace")
    if first.split("\t") == QUORA_COLUMNS:
        rows = _read_official(path, "\t")
    elif first.replace('"', "").split(",") == QUORA_COLUMNS:
        rows = _read_official(path, ",")
    else:
        rows = _read_bimpm(path)
    broken = 0
    for number, row in rows:
        name, *texts, label = row
        label = parse_binary_label(label, task, "the label", f"{path}, row {number}")
        broken += any(REPLACEMENT in text for text in texts)
        yield Example(tuple(texts), label, name, None, None, number)
    if broken:
        log.warning("%s: %d rows contain invalid UTF-8", path, broken)


def _read_official(path, delimiter):
    """Yields `(row number, (id, question, question, label))`."""
    for number, row in read_quoted_rows(path, delimiter, errors="replace"):
        yield number, [row[QUORA_COLUMNS[column]] for column in (0, 3, 4, 5)]


def _read_bimpm(path):
    """Yields rows as `_read_official`."""
    for number, fields in split_tabs(read_lines(path, errors="replace")):
        if len(fields) != 4:
            raise InputError(
                f"{path}, line {number}: a line must contain label, two questions and "
                f"a number, separated by tabs. Received: {len(fields)} fields"
            )
        label, *texts, name = fields
        yield number, [name, *texts, label]


def read_sick_scores(path: Path | str, task: Relatedness) -> Iterator[Example]:
    """Yields an `Example` for every pair, labelled with the relatedness score."""
    for number, row, pair in _read_sick(path, SCORE):
        label = parse_score(row[SCORE], task, f"{path}, row {number}")
        yield pair._replace(label=label)


def read_sick_judgments(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every pair, labelled with the entailment judgment."""
    header = read_first_line(path).split("\t")
    judgment = JUDGMENTS[1] if JUDGMENTS[1] in header else JUDGMENTS[0]
    for number, row, pair in _read_sick(path, judgment):
        label = row[judgment].lower()
        if label not in task.labels:
            raise InputError(
                f"{path}, row {number}: unknown judgment {row[judgment][:20]!r}"
            )
        yield pair._replace(label=label)


def _read_sick(path, label):
    """Yields `(row number, columns, unlabelled Example)`."""
    lines = split_tabs(read_lines(path))
    for number, row in read_named_columns(lines, path, (*SICK_COLUMNS, label)):
        name, *texts = (row[column] for column in SICK_COLUMNS)
        yield number, row, Example(tuple(texts), None, name, None, None, number)


def read_stsb(path: Path | str, task: Relatedness) -> Iterator[Example]:
    """Yields an `Example` for every pair, with the genre as group, in the authors'
    files and GLUE's.

    The format is inferred from the first line.
    """
    first = read_first_line(path)
    if first.startswith("{"):
        yield from _read_stsb_objects(path, task)
    elif set(STSB_COLUMNS) <= set(first.split("\t")):
        yield from _read_stsb_of_glue(path, task)
    else:
        yield from _read_stsb_of_authors(path, task)


def _read_stsb_of_authors(path, task):
    for number, fields in split_tabs(read_lines(path)):
        place = f"{path}, line {number}"
        if not 7 <= len(fields) <= 9:
            raise InputError(f"{place}: {len(fields)} fields instead of 7 to 9")
        genre, source, year, name, score, *texts = fields[:7]
        label, name = parse_score(score, task, place), f"{source}-{year}-{name}"
        yield Example(tuple(texts), label, name, genre, None, number)


def _read_stsb_of_glue(path, task):
    rows = read_named_columns(split_tabs(read_lines(path)), path, STSB_COLUMNS)
    for number, row in rows:
        label = parse_score(row["score"], task, f"{path}, row {number}")
        texts = (row["sentence1"], row["sentence2"])
        yield Example(texts, label, row.get("index"), row.get("genre"), None, number)


def _read_stsb_objects(path, task):
    for number, row in read_json_file(path):
        place = f"{path}, row {number}"
        first, second = row.get("sentence1"), row.get("sentence2")
        if not (isinstance(first, str) and isinstance(second, str)):
            raise InputError(f"{place}: 'sentence1' and 'sentence2' must be text")
        score = row.get("score", row.get("label"))
        label = None  # GLUE's test rows have the score -1
        if score not in (None, -1):
            label = parse_score(str(score), task, place)
        group = to_id(row.get("genre"))
        name = to_id(row.get("idx"))
        yield Example((first, second), label, name, group, None, number)
