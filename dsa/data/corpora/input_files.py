"""Files to predict or to encode: pairs of sentences, single sentences, or questions.

Pairs are JSON lines, a table with a header, or two columns; single sentences are JSON
lines, or one text a line; questions with the answers to be ranked are JSON lines,
WikiQA's seven columns, or question, tab, answer.

Files can be gzipped; "-" is standard input. Readers raise an `InputError` with file,
line and reason for a malformed line, and for a file without any row.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path

from dsa.data.corpora.columns import split_tabs
from dsa.data.corpora.example import Example, check_examples, to_id
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.nli import make_pair, read_json_rows, read_table_rows
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
    """Yields an `Example` without label for every pair of a file.

    The first line tells the format: a JSON object, a header that names `sentence1` and
    `sentence2`, or premise, tab, hypothesis.
    """
    return check_examples(_read_pairs(path), path, "pairs")


def read_sentences(path: Path | str) -> Iterator[Example]:
    """Yields an `Example` without label for every sentence of a file.

    If its first line is a JSON object, all are, with `sentence` and, if there is one,
    `id`; else every line is a sentence. An empty line, which would shift what is made
    of the others, and one with a tab are errors.
    """
    return check_examples(_read_sentences(path), path, "sentences")


def read_questions(path: Path | str) -> Iterator[Example]:
    """Yields an `Example` without label for every answer of a file. Its texts are the
    question and the answer, its group names the question.

    The first line tells the format: a JSON object with `question`, a list `answers`
    and, if there is one, `id`; the header of WikiQA's seven columns, whose labels are
    not looked at; or question, tab, answer. In a table the answers to a question follow
    each other.
    """
    return check_examples(_read_questions(path), path, "questions")


def _read_pairs(path):
    first, lines = _read_first_line(path)
    if first.lstrip().startswith("{"):
        rows = read_json_rows(lines, path)
    elif {"sentence1", "sentence2"} <= set(first.split("\t")):
        rows = read_table_rows(lines, path)
    else:
        rows = (
            (number, dict(zip(NAMES, fields, strict=True)))
            for number, fields in _read_two_columns(lines, path, PAIR)
        )
    for number, row in rows:
        yield make_pair(row, number, f"{path}, row {number}")


def _read_two_columns(lines, path, names):
    for number, fields in split_tabs(lines):
        if len(fields) != 2:
            raise InputError(
                f"{path}, line {number}: {names[0]}, tab, {names[1]} are needed. "
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
                f"{path}, line {number}: 'sentence' is missing, or is not a text"
            )
        if not text.strip():
            raise InputError(f"{path}, line {number}: the sentence is empty")
        yield Example((text,), None, to_id(name), None, None, number)


def _read_one_column(lines, path):
    for number, line in lines:
        if "\t" in line:
            raise InputError(
                f"{path}, line {number}: a tab, as between two sentences; a line must "
                "be a single sentence"
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
            raise InputError(f"{place}: 'question' is missing, or is not a text")
        if not isinstance(answers, list) or not answers:
            raise InputError(f"{place}: 'answers' must be a list, and not empty")
        name = str(to_id(row.get("id", number)))
        if name in names:
            raise InputError(f"{place}: 'id' {name[:80]!r} is in the file twice")
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
    """Returns the first line, empty for a file without any; and all numbered lines."""
    lines = read_lines(path)
    first = list(itertools.islice(lines, 1))
    text = first[0][1] if first else ""
    return text, itertools.chain(first, lines)
