"""Files with questions and answers to be ranked: JSON lines, WikiQA's seven columns, or
question, tab, answer."""

from dsa.data.corpora.example import Example, check_examples
from dsa.data.corpora.input_files import read_first_line
from dsa.data.corpora.nli import read_json_rows
from dsa.data.corpora.wikiqa import (
    COLUMNS,
    check_question_order,
    make_candidate,
    read_wikiqa_rows,
)
from dsa.errors import InputError


def read_questions(path):
    """Yield an `Example` without label for every answer of a file. Its texts are the
    question and the answer, its group names the question.

    The first line tells the format: a JSON object with `question`, a list `answers`
    and, if there is one, `id`; the header of WikiQA's seven columns, whose labels are
    not looked at; or question, tab, answer. In a table the answers to a question follow
    each other.

    Args:
        path: the file, also gzipped; "-" for standard input.

    Raises: `InputError` with file, line and reason for a malformed line, a question
        without answers, one that comes again after another one, or a file without any
        question.
    """
    return check_examples(_read_questions(path), path, "questions")


def _read_questions(path):
    first, lines = read_first_line(path)
    if first.lstrip().startswith("{"):
        yield from _read_json(lines, path)
    elif first.split("\t")[0] == COLUMNS[0]:
        for number, row in read_wikiqa_rows(lines, path):
            yield make_candidate(row, number)
    else:
        yield from _read_two_columns(lines, path)


def _read_json(lines, path):
    names = set()
    for number, row in read_json_rows(lines, path):
        place = f"{path}, line {number}"
        question, answers = row.get("question"), row.get("answers")
        if not isinstance(question, str):
            raise InputError(f"{place}: 'question' is missing, or is not a text")
        if not isinstance(answers, list) or not answers:
            raise InputError(f"{place}: 'answers' must be a list, and not empty")
        name = _name_question(row.get("id", number), names, place)
        for count, answer in enumerate(answers, start=1):
            if not isinstance(answer, str):
                raise InputError(f"{place}: answer {count} is not a text")
            yield _make_candidate(question, answer, f"{name}-{count}", name, number)


def _name_question(name, names, place):
    """A question's id as a text that UTF-8 can hold."""
    text = str(name).encode(errors="replace").decode()
    if text in names:
        raise InputError(f"{place}: 'id' {text[:80]!r} is in the file twice")
    names.add(text)
    return text


def _read_two_columns(lines, path):
    questions, last = set(), None
    for number, line in lines:
        place, fields = f"{path}, line {number}", line.split("\t")
        if len(fields) != 2:
            raise InputError(
                f"{place}: question, tab, answer are needed. Received: {len(fields)} "
                "fields"
            )
        last = check_question_order(fields[0], last, questions, place)
        yield _make_candidate(*fields, str(number), str(len(questions)), number)


def _make_candidate(question, answer, name, group, line):
    return Example((question, answer), None, name, group, None, line)
