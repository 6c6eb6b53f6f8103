"""Readers of paraphrase and similarity corpora.

MSRP: Dolan et al. 2004. The files are tab-separated with a header line, in UTF-8 with a
byte order mark. Quotation marks belong to the texts. MRPC in GLUE has the same columns.

Quora: the official file of 2017 (quoradata.quora.com, "First Quora Dataset Release") is
tab-separated with a header line and has quoted fields with line breaks; Kaggle's
`train.csv` has the same columns, separated by commas. The files of Wang et al. 2017
(BiMPM) have the columns label, question, question and number, without header line or
quoting. All files are in UTF-8 with some invalid bytes.

SICK: Marelli et al. 2014, SemEval-2014 task 1. The files are tab-separated with a
header line, in UTF-8; the test file has CRLF line ends. Rows have a relatedness score
and an entailment judgment. The column of the judgment is `entailment_judgment`, or
`entailment_label` in `SICK.txt`, the file of all splits.

STS-B: Cer et al. 2017, http://ixa2.si.ehu.eus/stswiki. The files are tab-separated
despite the suffix `.csv`, in UTF-8, without header line or quoting. Their columns are
genre, file, year, number, score, two sentences, and optionally two sources. GLUE's
`.tsv` has a header line, and data sets of Hugging Face have the keys `sentence1`,
`sentence2`, and `label` or `score`.
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
SICK_SCORE = "relatedness_score"
SICK_JUDGMENT, SICK_LABEL = "entailment_judgment", "entailment_label"
GLUE_STSB_COLUMNS = ("sentence1", "sentence2", "score")
REPLACEMENT = "\ufffd"
log = logging.getLogger(__name__)


def read_msrp(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every pair.

    `Quality` 0 is the first label of the task, and 1 is the second.
    """
    rows = read_named_columns(split_tabs(read_lines(path)), path, MSRP_COLUMNS)
    for number, row in rows:
        location = f"{path}, row {number}"
        label = parse_binary_label(row["Quality"], task, "'Quality'", location)
        yield Example(
            texts=(row["#1 String"], row["#2 String"]),
            label=label,
            id=f"{row['#1 ID']}-{row['#2 ID']}",
            group=None,
            parses=None,
            row=number,
        )


def read_quora(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every pair.

    0 is the first label of the task, and 1 is the second. Questions may be empty. The
    format is inferred from the first line. Invalid bytes are replaced by U+FFFD,
    and the number of affected rows is logged.
    """
    header = read_first_line(path, errors="replace")
    if header.split("\t") == QUORA_COLUMNS:
        rows = _read_official(path, "\t")
    elif header.replace('"', "").split(",") == QUORA_COLUMNS:
        rows = _read_official(path, ",")
    else:
        rows = _read_bimpm(path)
    num_invalid = 0
    for number, (pair_id, first, second, digit) in rows:
        label = parse_binary_label(digit, task, "the label", f"{path}, row {number}")
        if REPLACEMENT in first or REPLACEMENT in second:
            num_invalid += 1
        yield Example(
            texts=(first, second),
            label=label,
            id=pair_id,
            group=None,
            parses=None,
            row=number,
        )
    if num_invalid:
        log.warning("%s: %d rows contain invalid UTF-8", path, num_invalid)


def _read_official(path, delimiter):
    """Yields `(row number, [id, question, question, label])`."""
    columns = ("id", "question1", "question2", "is_duplicate")
    for number, row in read_quoted_rows(path, delimiter, errors="replace"):
        yield number, [row[column] for column in columns]


def _read_bimpm(path):
    """Yields rows in the format of `_read_official`."""
    for number, fields in split_tabs(read_lines(path, errors="replace")):
        if len(fields) != 4:
            raise InputError(
                f"{path}, line {number}: the line must contain a label, two questions "
                f"and a number, separated by tabs. Received: {len(fields)} fields"
            )
        label, first, second, pair_id = fields
        yield number, [pair_id, first, second, label]


def read_sick_scores(path: Path | str, task: Relatedness) -> Iterator[Example]:
    """Yields an `Example` for every pair, labelled with the relatedness score."""
    for number, row, pair in _read_sick(path, SICK_SCORE):
        label = parse_score(row[SICK_SCORE], task, f"{path}, row {number}")
        yield pair._replace(label=label)


def read_sick_judgments(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every pair, labelled with the entailment judgment.

    Raises: `InputError` if a judgment is unknown.
    """
    header = read_first_line(path).split("\t")
    judgment = SICK_LABEL if SICK_LABEL in header else SICK_JUDGMENT
    for number, row, pair in _read_sick(path, judgment):
        label = row[judgment].lower()
        if label not in task.labels:
            raise InputError(
                f"{path}, row {number}: unknown judgment {row[judgment][:20]!r}. "
                f"Known: {', '.join(task.labels)}"
            )
        yield pair._replace(label=label)


def _read_sick(path, label_column):
    """Yields `(row number, {column: text}, unlabelled Example)`.

    Args:
        path: the file.
        label_column: name of the required label column.
    """
    lines = split_tabs(read_lines(path))
    columns = (*SICK_COLUMNS, label_column)
    for number, row in read_named_columns(lines, path, columns):
        pair = Example(
            texts=(row["sentence_A"], row["sentence_B"]),
            label=None,
            id=row["pair_ID"],
            group=None,
            parses=None,
            row=number,
        )
        yield number, row, pair


def read_stsb(path: Path | str, task: Relatedness) -> Iterator[Example]:
    """Yields an `Example` for every pair of a file by the authors, GLUE or Hugging
    Face. The group is the genre.

    The format is inferred from the first line.
    """
    first_line = read_first_line(path)
    if first_line.startswith("{"):
        yield from _read_stsb_objects(path, task)
    elif set(GLUE_STSB_COLUMNS) <= set(first_line.split("\t")):
        yield from _read_glue_stsb(path, task)
    else:
        yield from _read_original_stsb(path, task)


def _read_original_stsb(path, task):
    for number, fields in split_tabs(read_lines(path)):
        location = f"{path}, line {number}"
        if not 7 <= len(fields) <= 9:
            raise InputError(
                f"{location}: expected 7 to 9 fields. Received: {len(fields)}"
            )
        genre, source, year, sentence_number, score, first, second = fields[:7]
        yield Example(
            texts=(first, second),
            label=parse_score(score, task, location),
            id=f"{source}-{year}-{sentence_number}",
            group=genre,
            parses=None,
            row=number,
        )


def _read_glue_stsb(path, task):
    rows = read_named_columns(split_tabs(read_lines(path)), path, GLUE_STSB_COLUMNS)
    for number, row in rows:
        yield Example(
            texts=(row["sentence1"], row["sentence2"]),
            label=parse_score(row["score"], task, f"{path}, row {number}"),
            id=row.get("index"),
            group=row.get("genre"),
            parses=None,
            row=number,
        )


def _read_stsb_objects(path, task):
    for number, row in read_json_file(path):
        location = f"{path}, row {number}"
        first, second = row.get("sentence1"), row.get("sentence2")
        if not (isinstance(first, str) and isinstance(second, str)):
            raise InputError(f"{location}: 'sentence1' and 'sentence2' must be text")
        score = row.get("score", row.get("label"))
        label = None  # the test rows of GLUE have the score -1
        if score not in (None, -1):
            label = parse_score(str(score), task, location)
        yield Example(
            texts=(first, second),
            label=label,
            id=to_id(row.get("idx")),
            group=to_id(row.get("genre")),
            parses=None,
            row=number,
        )
