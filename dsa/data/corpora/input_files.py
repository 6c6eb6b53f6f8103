"""Readers of unlabelled files: sentence pairs, single sentences or questions.

Pairs are JSON lines, a table with a header, or two columns. Single sentences are JSON
lines, a table with a header, or one text per line. Questions with candidate answers are
JSON lines, a table with a header, WikiQA's seven columns, or two columns.

Files may be gzipped; "-" is standard input. Readers raise `InputError` with file, line
and reason for a malformed line, and for a file without rows.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
from dsa.data.corpora.own import make_example, read_column_rows
from dsa.data.corpora.parquet import SUFFIX as PARQUET
from dsa.data.corpora.wikiqa import (
    COLUMNS,
    check_question_order,
    make_answer_row,
    read_wikiqa_rows,
)
from dsa.errors import InputError
from dsa.tasks.task import PAIR

NAMES = ("sentence1", "sentence2")
QUESTION = ("question", "answer")
QUESTION_IDS = ("qid", "question_id")  # the latter in WikiQA by Hugging Face


def read_pairs(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every pair of a file.

    The format is inferred from the first line: a JSON object, a header, or premise,
    tab, hypothesis. The columns of a header and the keys of JSON lines are `sentence1`
    and `sentence2`, or `premise` and `hypothesis`. For ids, see `find_id`.
    """
    return check_examples(_read_pairs(path), path, "pairs")


def read_sentences(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every sentence of a file.

    The format is inferred from the first line: a JSON object or a header of tab-
    separated columns, with `sentence` and optionally an id (`find_id`); or a sentence.
    Empty lines, which would shift the row numbers, are errors, as are lines with a tab
    in a file without a header.
    """
    return check_examples(_read_sentences(path), path, "sentences")


def read_questions(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every candidate answer of a file. The texts
    are the question and the answer; the group is the question.

    CSV and Parquet files have the columns `question` and `answer`. The format of other
    files is inferred from the first line: a JSON object with `question`, a list
    `answers` and optionally `id`; a JSON object or a header with `question` and
    `answer`; the header of WikiQA's seven columns, whose labels are ignored; or
    question, tab, answer. In a table, the answers to a question must be adjacent.
    """
    return check_examples(_read_questions(path), path, "questions")


def _read_pairs(path):
    first, lines = _read_first_line(path)
    header = set(first.split("\t"))
    rows: Iterator[tuple[int, dict[Any, Any]]]
    if first.lstrip().startswith("{"):
        rows = read_json_rows(lines, path)
    elif set(NAMES) <= header or set(PAIR) <= header:
        fields = split_tabs(lines, keep_empty=False)
        rows = read_named_columns(fields, path, ragged=True)
    else:
        rows = (
            (number, dict(zip(NAMES, fields, strict=True)))
            for number, fields in _read_two_columns(lines, path, PAIR)
        )
    for number, row in rows:
        if set(PAIR) <= set(row):
            names = zip(("sentence1", "sentence2"), PAIR, strict=True)
            row = {name: row[column] for name, column in names} | row
        pair = make_pair(row, number, f"{path}, row {number}")
        yield pair._replace(id=find_id(row))


def _read_two_columns(lines, path, names):
    for number, fields in split_tabs(lines):
        if len(fields) != 2:
            raise InputError(
                f"{path}, line {number}: a line must be {names[0]}, tab, {names[1]}. "
                f"Received: {len(fields)} fields"
            )
        yield number, fields


def _read_sentences(path):
    first, lines = _read_first_line(path)
    lines = _check_blank_lines(lines, path)
    if first.lstrip().startswith("{"):
        rows = read_json_rows(lines, path)
    elif "sentence" in first.split("\t"):
        rows = read_named_columns(split_tabs(lines), path)
    else:
        rows = _read_one_column(lines, path)
    for number, row in rows:
        text = row.get("sentence")
        if not isinstance(text, str):
            raise InputError(
                f"{path}, line {number}: 'sentence' is missing or not a text"
            )
        if not text.strip():
            raise InputError(f"{path}, line {number}: the sentence is empty")
        yield Example((text,), None, find_id(row), None, None, number)


def _read_one_column(lines, path):
    for number, line in lines:
        if "\t" in line:
            raise InputError(
                f"{path}, line {number}: contains a tab; a line must be a single "
                "sentence"
            )
        yield number, {"sentence": line}


def _check_blank_lines(lines, path):
    for number, line in lines:
        if not line.strip():
            raise InputError(f"{path}, line {number}: the sentence is empty")
        yield number, line


def _read_questions(path):
    if get_suffix(path) in (".csv", PARQUET):
        rows = read_column_rows(path, QUESTION, (*QUESTION_IDS, *ID_COLUMNS))
        yield from _read_answer_rows(rows, path)
        return
    first, lines = _read_first_line(path)
    header = first.split("\t")
    if first.lstrip().startswith("{"):
        rows = read_json_rows(lines, path)
        first_rows = list(itertools.islice(rows, 1))
        rows = itertools.chain(first_rows, rows)
        if first_rows and "answers" not in first_rows[0][1].keys() >= {*QUESTION}:
            yield from _read_answer_rows(rows, path)
        else:
            yield from _read_question_objects(rows, path)
    elif header[0] == COLUMNS[0]:
        for number, row in read_wikiqa_rows(lines, path):
            yield make_answer_row(row, number)
    elif set(QUESTION) <= set(header):
        rows = read_named_columns(split_tabs(lines, keep_empty=False), path)
        yield from _read_answer_rows(rows, path)
    else:
        fields = _read_two_columns(lines, path, QUESTION)
        rows = ((n, dict(zip(QUESTION, texts, strict=True))) for n, texts in fields)
        yield from _read_answer_rows(rows, path)


def _read_answer_rows(rows, path):
    """Yields an `Example` for each row with a question and an answer."""
    columns = dict(zip(QUESTION, QUESTION, strict=True))
    questions, last = set(), None
    for number, row in rows:
        place = f"{path}, row {number}"
        example = make_example(row, number, QUESTION, columns, place)
        last = check_question_order(example.texts[0], last, questions, place)
        group = next((to_id(row[name]) for name in QUESTION_IDS if name in row), None)
        own_name = find_id({k: v for k, v in row.items() if k not in QUESTION_IDS})
        yield example._replace(id=own_name, group=group or str(len(questions)))


def _read_question_objects(rows, path):
    names = set()
    for number, row in rows:
        place = f"{path}, line {number}"
        question, answers = row.get("question"), row.get("answers")
        if not isinstance(question, str):
            raise InputError(f"{place}: 'question' is missing or not a text")
        if not isinstance(answers, list) or not answers:
            raise InputError(f"{place}: 'answers' must be a non-empty list")
        name = find_id(row) or str(number)
        if name in names:
            raise InputError(f"{place}: duplicate 'id' {name[:80]!r}")
        names.add(name)
        for count, answer in enumerate(answers, start=1):
            if not isinstance(answer, str):
                raise InputError(f"{place}: answer {count} must be text")
            texts, own_name = (question, answer), f"{name}-{count}"
            yield Example(texts, None, own_name, name, None, number)


def _read_first_line(path):
    """Returns the first line (empty for an empty file) and an iterator over all
    numbered lines."""
    lines = read_lines(path)
    first = list(itertools.islice(lines, 1))
    text = first[0][1] if first else ""
    return text, itertools.chain(first, lines)
