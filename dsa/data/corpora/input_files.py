"""Readers of unlabelled files: sentence pairs, single sentences or questions.

Formats:

- pairs: JSON lines, a table with a header line, or two columns
- sentences: JSON lines, a table with a header line, or one text per line
- questions with candidate answers: JSON lines, a table with a header line, the seven
  columns of WikiQA, or two columns

Files may be gzipped; "-" is standard input. Malformed rows and empty files raise
`InputError`.
"""

import itertools
import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsa.data.corpora.column_rows import read_column_rows
from dsa.data.corpora.columns import read_named_columns, split_tabs
from dsa.data.corpora.example import (
    ID_COLUMNS,
    Example,
    check_examples,
    find_id,
    to_id,
)
from dsa.data.corpora.files import get_suffix, read_lines
from dsa.data.corpora.nli import make_pair, read_json_rows
from dsa.data.corpora.own import make_example
from dsa.data.corpora.parquet import PARQUET_SUFFIX
from dsa.data.corpora.wikiqa import (
    WIKIQA_COLUMNS,
    check_question_order,
    check_question_text,
    make_answer_row,
    read_wikiqa_rows,
)
from dsa.errors import InputError
from dsa.tasks.task import PAIR

PAIR_COLUMNS = ("sentence1", "sentence2")
ANSWER_COLUMNS = ("question", "answer")
# `question_id` is the name in Hugging Face's WikiQA
QUESTION_ID_COLUMNS = ("qid", "question_id")


def read_pairs(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every pair of a file.

    The format is inferred from the first line: JSON lines, a table with a header line,
    or lines with a premise, a tab and a hypothesis. The columns or keys are `sentence1`
    and `sentence2`, or `premise` and `hypothesis`. Ids are read by `find_id`.
    """
    return check_examples(_read_pairs(path), path, "pairs")


def read_sentences(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every sentence of a file.

    The format is inferred from the first line: JSON lines, a tab-separated table with a
    header line, or one sentence per line, without tabs. The column or key of the text
    is `sentence`. Ids are read by `find_id`. Empty lines raise `InputError`, because
    skipping them would shift the row numbers.
    """
    return check_examples(_read_sentences(path), path, "sentences")


def read_questions(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every candidate answer of a file.

    The texts are the question and the answer. The group is the id of the question. If
    questions have no ids, the group is the number of the question.

    CSV and Parquet files have the columns `question` and `answer`, and optionally `qid`
    or `question_id`. The format of other files is inferred from the first line:

    - JSON objects with `question`, a list `answers` and optionally `id`,
    - JSON objects or a table with a header line, with the same columns as CSV files,
    - a table with the header line of WikiQA, whose labels are ignored,
    - lines with a question, a tab and an answer.

    The rows of a question must be adjacent.
    """
    return check_examples(_read_questions(path), path, "questions")


def _read_pairs(path):
    first_line, lines = _peek_first_line(path)
    header = set(first_line.split("\t"))
    rows: Iterator[tuple[int, dict[Any, Any]]]
    if first_line.lstrip().startswith("{"):
        rows = read_json_rows(lines, path)
    elif set(PAIR_COLUMNS) <= header or set(PAIR) <= header:
        fields = split_tabs(lines, keep_empty=False)
        rows = read_named_columns(fields, path, ragged=True)
    else:
        rows = (
            (number, dict(zip(PAIR_COLUMNS, fields, strict=True)))
            for number, fields in _read_two_columns(lines, path, PAIR)
        )
    for number, row in rows:
        if set(PAIR) <= set(row):
            row.setdefault("sentence1", row["premise"])
            row.setdefault("sentence2", row["hypothesis"])
        pair = make_pair(row, number, f"{path}, row {number}")
        yield pair._replace(id=find_id(row))


def _read_two_columns(lines, path, field_names):
    """Yields `(line number, two fields)` of tab-separated lines.

    Args:
        lines: numbered lines.
        path: the file, for error messages.
        field_names: names of the two fields, for error messages.
    """
    for number, fields in split_tabs(lines):
        if len(fields) != 2:
            raise InputError(
                f"{path}, line {number}: expected {field_names[0]}, tab, "
                f"{field_names[1]}. "
                f"Received: {len(fields)} fields"
            )
        yield number, fields


def _read_sentences(path):
    first_line, lines = _peek_first_line(path)
    lines = _reject_blank_lines(lines, path)
    if first_line.lstrip().startswith("{"):
        rows = read_json_rows(lines, path)
    elif "sentence" in first_line.split("\t"):
        rows = read_named_columns(split_tabs(lines), path)
    else:
        rows = _read_one_column(lines, path)
    for number, row in rows:
        location = f"{path}, row {number}"
        text = _read_text(row, "sentence", location)
        if not text.strip():
            raise InputError(f"{location}: the sentence is empty")
        yield Example(
            texts=(text,),
            label=None,
            id=find_id(row),
            group=None,
            parses=None,
            row=number,
        )


def _read_one_column(lines, path):
    """Yields `(line number, {"sentence": line})`; raises `InputError` for a tab."""
    for number, line in lines:
        if "\t" in line:
            raise InputError(
                f"{path}, line {number}: expected one sentence. "
                "Received: a line with a tab"
            )
        yield number, {"sentence": line}


def _reject_blank_lines(lines, path):
    """Yields numbered lines; raises `InputError` for a blank line."""
    for number, line in lines:
        if not line.strip():
            raise InputError(f"{path}, line {number}: the sentence is empty")
        yield number, line


def _read_questions(path):
    if get_suffix(path) in (".csv", PARQUET_SUFFIX):
        rows = read_column_rows(
            path, ANSWER_COLUMNS, (*QUESTION_ID_COLUMNS, *ID_COLUMNS)
        )
        yield from _read_answer_rows(rows, path)
        return
    first_line, lines = _peek_first_line(path)
    header = first_line.split("\t")
    if first_line.lstrip().startswith("{"):
        first_row, rows = _peek(read_json_rows(lines, path))
        keys = set()
        if first_row is not None:
            keys = set(first_row[1])
        if "answers" not in keys and set(ANSWER_COLUMNS) <= keys:
            yield from _read_answer_rows(rows, path)
        else:
            yield from _read_question_objects(rows, path)
    elif header[0] == WIKIQA_COLUMNS[0]:
        for number, row in read_wikiqa_rows(lines, path):
            yield make_answer_row(row, number)
    elif set(ANSWER_COLUMNS) <= set(header):
        rows = read_named_columns(split_tabs(lines, keep_empty=False), path)
        yield from _read_answer_rows(rows, path)
    else:
        rows = (
            (number, dict(zip(ANSWER_COLUMNS, fields, strict=True)))
            for number, fields in _read_two_columns(lines, path, ANSWER_COLUMNS)
        )
        yield from _read_answer_rows(rows, path)


def _read_answer_rows(rows, path):
    """Yields an `Example` for each row with a question and an answer.

    All rows or no row must have the id of a question, which is the group. Questions
    without ids are numbered.
    """
    columns = {name: name for name in ANSWER_COLUMNS}
    questions = set()
    texts_by_id: dict[str, str] = {}
    last_question = None
    has_ids = None  # whether the first row has the id of a question
    for number, row in rows:
        location = f"{path}, row {number}"
        for name in ANSWER_COLUMNS:
            if name not in row:
                raise InputError(f"{location}: {name!r} is missing")
        example = make_example(row, number, ANSWER_COLUMNS, columns, location)
        text = example.texts[0]
        question_id = _find_question_id(row)
        if has_ids is None:
            has_ids = question_id is not None
        if has_ids != (question_id is not None):
            raise InputError(
                f"{location}: either all rows or no rows must have question ids"
            )
        if question_id:
            check_question_text(question_id, text, texts_by_id, location)
        last_question = check_question_order(
            question_id or text, last_question, questions, location
        )
        group = question_id or str(len(questions))
        # `qid` is also the name of an id column, see `ID_COLUMNS`
        answer_columns = {
            name: value
            for name, value in row.items()
            if name not in QUESTION_ID_COLUMNS
        }
        yield example._replace(id=find_id(answer_columns), group=group)


def _find_question_id(row):
    """Returns the first nonempty value of `QUESTION_ID_COLUMNS`, or `None`."""
    for name in QUESTION_ID_COLUMNS:
        question_id = to_id(row.get(name, ""))
        if question_id:
            return question_id
    return None


def _read_question_objects(rows, path):
    """Yields an `Example` for each answer of JSON objects with a list `answers`.

    Ids are `<question id>-<position>`. Positions are counted from 1. The id of a
    question without an id is its row number.
    """
    question_ids = set()
    for number, row in rows:
        location = f"{path}, row {number}"
        question = _read_text(row, "question", location)
        answers = row.get("answers")
        if not isinstance(answers, list) or not answers:
            raise InputError(f"{location}: 'answers' must be a non-empty list")
        question_id = find_id(row) or _find_question_id(row) or str(number)
        if question_id in question_ids:
            raise InputError(f"{location}: duplicate question id {question_id[:80]!r}")
        question_ids.add(question_id)
        for position, answer in enumerate(answers, start=1):
            if not isinstance(answer, str):
                raise InputError(
                    f"{location}: answer {position} must be text. "
                    f"Received: {reprlib.repr(answer)}"
                )
            yield Example(
                texts=(question, answer),
                label=None,
                id=f"{question_id}-{position}",
                group=question_id,
                parses=None,
                row=number,
            )


def _read_text(row, column, location):
    """Returns the text of a column; raises `InputError` if the column is missing or its
    value is not a string."""
    if column not in row:
        raise InputError(f"{location}: '{column}' is missing")
    if not isinstance(row[column], str):
        raise InputError(f"{location}: '{column}' must be text")
    return row[column]


def _peek_first_line(path):
    """Returns the first line, or "" if the file is empty, and an iterator over all
    numbered lines, including the first. Raises `InputError` for a JSON array."""
    first, lines = _peek(read_lines(path))
    text = "" if first is None else first[1]
    if text.strip() == "[" or text.lstrip().startswith("[{"):
        raise InputError(f"{path}: expected JSON lines. Received: a JSON array")
    return text, lines


def _peek(iterator):
    """Returns the first item, or `None` if there is none, and an iterator over all
    items, including the first."""
    first = next(iterator, None)
    if first is None:
        return None, iterator
    return first, itertools.chain([first], iterator)
