"""Reader of WikiQA: questions and candidate sentences from Wikipedia pages.

The archive of the authors contains `.tsv` files of seven tab-separated columns with a
header line, and `.txt` files of tokenized texts with the columns question, sentence and
label, without a header line. Quotation marks belong to the texts. The data set of
Hugging Face has the columns `HUB_COLUMNS`. The rows of a question are adjacent.

Reference: Yang et al. 2015, https://aclanthology.org/D15-1237.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dsa.config_section import setting
from dsa.data.corpora.column_rows import has_columns, read_column_rows
from dsa.data.corpora.columns import parse_binary_label, read_named_columns, split_tabs
from dsa.data.corpora.corpus import CorpusOptions
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_first_line, read_lines
from dsa.data.corpora.own import make_example
from dsa.errors import InputError
from dsa.tasks.ranking import Ranking

WIKIQA_COLUMNS = (
    "QuestionID",
    "Question",
    "DocumentID",
    "DocumentTitle",
    "SentenceID",
    "Sentence",
    "Label",
)
HUB_COLUMNS = ("question_id", "question", "answer", "label")
TOKENIZED_COLUMNS = ("Question", "Sentence", "Label")  # columns of `.txt` files


class WikiQAOptions(CorpusOptions):
    """`data.options` for `corpus: wikiqa`."""

    train_questions: Literal["all", "answered"] = setting(
        "all", "Train on all questions, or only on questions with a right answer."
    )

    @property
    def selects_rows(self) -> bool:
        return self.train_questions == "answered"

    def select_rows(
        self, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        """Returns the positions of the answers to questions with a right answer."""
        return np.flatnonzero(
            find_answered_rows(groups, labels == task.number("right"))
        )


def find_answered_rows(groups: Sequence[str], right: Iterable[bool]) -> np.ndarray:
    """Returns a bool array `(N,)`, `True` for rows whose question has a right answer.

    Args:
        groups: question of each row.
        right: bool `(N,)`, whether a row is a right answer.

    Example:
        >>> find_answered_rows(["a", "a", "b"], [True, False, False]).tolist()
        [True, True, False]
    """
    answered = {name for name, is_right in zip(groups, right, strict=True) if is_right}
    return np.array([name in answered for name in groups], bool)


def read_wikiqa(path: Path | str, task: Ranking) -> Iterator[Example]:
    """Yields an `Example` for every candidate sentence of every question.

    The group is the id of the question. `Label` 0 is the first label of the task, and 1
    is the second. In a file without a header line, questions and rows are numbered.

    Raises: `InputError` if a row is malformed, the rows of a question are not adjacent,
        or no question has a right answer.
    """
    labels = set()
    if has_columns(path, HUB_COLUMNS):
        rows = _read_hub_rows(path)
    elif read_first_line(path).count("\t") == len(TOKENIZED_COLUMNS) - 1:
        rows = _read_tokenized(path)
    else:
        rows = read_wikiqa_rows(read_lines(path), path)
    for number, row in rows:
        location = f"{path}, row {number}"
        label = parse_binary_label(row["Label"], task, "'Label'", location)
        labels.add(row["Label"])
        yield make_answer_row(row, number)._replace(label=label)
    if labels == {"0"}:
        raise InputError(
            f"{path}: no question has a right answer. Training and evaluation require "
            "at least one"
        )


def _read_hub_rows(path):
    """Yields `(row number, {column: text})` of the data set of Hugging Face."""
    columns = {"question": "question", "answer": "answer"}
    questions = set()
    texts_by_id: dict[str, str] = {}
    last_question = None
    for number, row in read_column_rows(path, HUB_COLUMNS):
        location = f"{path}, row {number}"
        question_id = str(row["question_id"])
        question, answer = make_example(row, number, columns, columns, location).texts
        last_question = check_question_order(
            question_id, last_question, questions, location
        )
        check_question_text(question_id, question, texts_by_id, location)
        wikiqa_row = {
            "QuestionID": question_id,
            "Question": question,
            "SentenceID": None,
            "Sentence": answer,
            "Label": str(row["label"]),
        }
        yield number, wikiqa_row


def _read_tokenized(path):
    """Yields `(row number, {column: text})` of a file without a header line."""
    questions = set()
    last_question = None
    for number, fields in split_tabs(read_lines(path)):
        location = f"{path}, line {number}"
        if len(fields) != len(TOKENIZED_COLUMNS):
            raise InputError(
                f"{location}: the line must contain a question, a sentence and a "
                "label, separated by tabs. "
                f"Received: {len(fields)} fields"
            )
        row = dict(zip(TOKENIZED_COLUMNS, fields, strict=True))
        last_question = check_question_order(
            row["Question"], last_question, questions, location
        )
        yield number, row | {"QuestionID": str(len(questions)), "SentenceID": None}


def read_wikiqa_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(row number, {column: text})` of numbered lines with the columns
    `WIKIQA_COLUMNS`.

    Raises: `InputError` if two questions have the same id or a question has a duplicate
        sentence, or as in `read_named_columns` and `check_question_order`.
    """
    questions = set()
    last_question = None
    texts_by_id: dict[str, str] = {}
    sentence_ids = set()  # ids of the sentences of the current question
    for number, row in read_named_columns(split_tabs(lines), path, WIKIQA_COLUMNS):
        location = f"{path}, row {number}"
        question_id = row["QuestionID"]
        check_question_order(question_id, last_question, questions, location)
        if question_id != last_question:
            last_question = question_id
            sentence_ids = set()
        check_question_text(question_id, row["Question"], texts_by_id, location)
        sentence_id = row["SentenceID"]
        if sentence_id in sentence_ids:
            raise InputError(
                f"{location}: the question contains the sentence "
                f"{sentence_id[:80]!r} twice"
            )
        sentence_ids.add(sentence_id)
        yield number, row


def check_question_order(
    question: str, last_question: str | None, questions: set[str], location: str
) -> str:
    """Checks that the rows of each question are adjacent.

    Args:
        question: question of the row.
        last_question: question of the previous row; `None` for the first row.
        questions: questions of all previous rows; `question` is added to this set.
        location: file and row for error messages.

    Returns: `question`.

    Raises: `InputError` if the row is separated from earlier rows of its question.
    """
    if question != last_question and question in questions:
        raise InputError(
            f"{location}: the rows of question {question[:80]!r} are not adjacent"
        )
    questions.add(question)
    return question


def check_question_text(
    question_id: str, text: str, texts_by_id: dict[str, str], location: str
) -> None:
    """Raises `InputError` if an earlier row has the same question id and another text.

    Args:
        question_id, text: id and text of the question of the row.
        texts_by_id: texts of the earlier rows by id; the text of the row is added.
        location: file and row for error messages.
    """
    if texts_by_id.setdefault(question_id, text) != text:
        raise InputError(f"{location}: two questions have the id {question_id[:80]!r}")


def make_answer_row(row: dict, number: int) -> Example:
    """Returns the unlabelled `Example` of a row of WikiQA."""
    return Example(
        texts=(row["Question"], row["Sentence"]),
        label=None,
        id=row["SentenceID"],
        group=row["QuestionID"],
        parses=None,
        row=number,
    )
