"""Readers of unlabelled files: sentence pairs, single sentences or questions.

Pairs are JSON lines, a table with a header, or two columns. Single sentences are JSON
lines, or one text per line. Questions with candidate answers are JSON lines, WikiQA's
seven columns, or two columns.

Files may be gzipped; "-" is standard input. Readers raise `InputError` with file, line
and reason for a malformed line, and for a file without rows.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsa.data.corpora.columns import read_named_columns, split_tabs
from dsa.data.corpora.example import Example, check_examples, to_id
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.nli import make_pair, read_json_rows
from dsa.data.corpora.wikiqa import (
    COLUMNS,
    check_question_order,
    make_answer_row,
    read_wikiqa_rows,
)
from dsa.errors import InputError
from dsa.tasks.task import PAIR

NAMES = ("sentence1", "sentence2")


def read_pairs(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every pair of a file.

    The format is inferred from the first line: a JSON object, a header, or premise,
    tab, hypothesis. The columns of a header and the keys of JSON lines are `sentence1`
    and `sentence2`, or `premise` and `hypothesis`.
    """
    return check_examples(_read_pairs(path), path, "pairs")


def read_sentences(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every sentence of a file.

    If the first line is a JSON object, every line must be one, with the key `sentence`
    and optionally `id`. Otherwise every line is a sentence. Empty lines, which would
    shift the row numbers, and lines with a tab are errors.
    """
    return check_examples(_read_sentences(path), path, "sentences")


def read_questions(path: Path | str) -> Iterator[Example]:
    """Yields an unlabelled `Example` for every candidate answer of a file. The texts
    are the question and the answer; the group is the question.

    The format is inferred from the first line: a JSON object with `question`, a list
    `answers` and optionally `id`; the header of WikiQA's seven columns, whose labels
    are ignored; or question, tab, answer. In a table, the answers to a question must be
    adjacent.
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
        yield make_pair(row, number, f"{path}, row {number}")


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
    else:
        rows = _read_one_column(lines, path)
    for number, row in rows:
        text, name = row.get("sentence"), row.get("id")
        if not isinstance(text, str):
            raise InputError(
                f"{path}, line {number}: 'sentence' is missing or not a text"
            )
        if not text.strip():
            raise InputError(f"{path}, line {number}: the sentence is empty")
        yield Example((text,), None, to_id(name), None, None, number)


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
    first, lines = _read_first_line(path)
    if first.lstrip().startswith("{"):
        yield from _read_question_objects(lines, path)
    elif first.split("\t")[0] == COLUMNS[0]:
        for number, row in read_wikiqa_rows(lines, path):
            yield make_answer_row(row, number)
    else:
        yield from _read_question_columns(lines, path)


def _read_question_objects(lines, path):
    names = set()
    for number, row in read_json_rows(lines, path):
        place = f"{path}, line {number}"
        question, answers = row.get("question"), row.get("answers")
        if not isinstance(question, str):
            raise InputError(f"{place}: 'question' is missing or not a text")
        if not isinstance(answers, list) or not answers:
            raise InputError(f"{place}: 'answers' must be a non-empty list")
        name = str(to_id(row.get("id", number)))
        if name in names:
            raise InputError(f"{place}: duplicate 'id' {name[:80]!r}")
        names.add(name)
        for count, answer in enumerate(answers, start=1):
            if not isinstance(answer, str):
                raise InputError(f"{place}: answer {count} is not a text")
            texts, own_name = (question, answer), f"{name}-{count}"
            yield Example(texts, None, own_name, name, None, number)


def _read_question_columns(lines, path):
    questions, last = set(), None
    for number, texts in _read_two_columns(lines, path, ("question", "answer")):
        place = f"{path}, line {number}"
        last = check_question_order(texts[0], last, questions, place)
        group = str(len(questions))
        yield Example(tuple(texts), None, str(number), group, None, number)


def _read_first_line(path):
    """Returns the first line (empty for an empty file) and an iterator over all
    numbered lines."""
    lines = read_lines(path)
    first = list(itertools.islice(lines, 1))
    text = first[0][1] if first else ""
    return text, itertools.chain(first, lines)
