"""WikiQA: questions and the sentences of a Wikipedia page that may answer them.

Yang et al. 2015, https://aclanthology.org/D15-1237; seven tab-separated columns below a
header line, no quoting though texts hold quotes. The rows of a question follow each
other.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dsa.config_section import setting
from dsa.data.corpora.corpus import CorpusOptions
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.ranking import Ranking
from dsa.tasks.ranking_metrics import find_answered

COLUMNS = (
    "QuestionID",
    "Question",
    "DocumentID",
    "DocumentTitle",
    "SentenceID",
    "Sentence",
    "Label",
)


class WikiQAOptions(CorpusOptions):
    """`data.options` for `corpus: wikiqa`."""

    train_questions: Literal["all", "answered"] = setting(
        "all", "Whether training has every question, or only those with a right answer."
    )

    @property
    def drops_rows(self) -> bool:
        return self.train_questions == "answered"

    def find_kept(self, labels: np.ndarray, groups: Sequence, task: Any) -> np.ndarray:
        """Returns the positions of the answers to questions with a right answer."""
        return np.flatnonzero(find_answered(groups, labels == task.number("right")))


def read_wikiqa(path: Path | str, task: Ranking) -> Iterator[Example]:
    """Yields an `Example` for every question and sentence, whose group is the question;
    `Label` 0 is the task's first label.

    Args:
        path: the file, also gzipped.
        task: the `Ranking`.

    Raises: `InputError` with file, line and reason for a malformed row, another label,
        and a question whose rows do not follow each other; and for a file where no
        question has a right answer.
    """
    rows = answered = 0
    for number, row in read_wikiqa_rows(read_lines(path), path):
        if row["Label"] not in ("0", "1"):
            raise InputError(
                f"{path}, line {number}: 'Label' must be 0 or 1. Received: "
                f"{row['Label'][:20]!r}"
            )
        rows, answered = rows + 1, answered + int(row["Label"])
        label = task.labels[int(row["Label"])]
        yield make_candidate(row, number)._replace(label=label)
    if rows and not answered:
        raise InputError(
            f"{path}: no question has a right answer: there is nothing to train on or "
            "to measure"
        )


def read_wikiqa_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(number, {column: text})` of numbered lines.

    Raises: `InputError` with file, line and reason for another header, a row with
        another number of columns, and a question whose rows do not follow each other.
    """
    questions, last = set(), None
    for number, line in lines:
        place, fields = f"{path}, line {number}", line.split("\t")
        if number == 1:
            if tuple(fields) != COLUMNS:
                raise InputError(
                    f"{place}: a header line with the columns {', '.join(COLUMNS)} is "
                    f"needed. Received: {line[:80]!r}"
                )
            continue
        if len(fields) != len(COLUMNS):
            raise InputError(
                f"{place}: {len(COLUMNS)} columns are needed. Received: {len(fields)}"
            )
        row = dict(zip(COLUMNS, fields, strict=True))
        last = check_question_order(row["QuestionID"], last, questions, place)
        yield number, row


def check_question_order(
    question: str, last: str | None, questions: set[str], place: str
) -> str:
    """Raises an error for a question that comes again after another one.

    Args:
        question: the row's.
        last: the question of the row before.
        questions: the set of those that came so far, to which it is added.
        place: file and line, for errors.

    Returns: the question.

    Raises: `InputError`.
    """
    if question != last and question in questions:
        raise InputError(
            f"{place}: the question {question[:80]!r} comes again after another one. "
            "The rows of a question must follow each other"
        )
    questions.add(question)
    return question


def make_candidate(row: dict, line: int) -> Example:
    """Returns the `Example` of a row, without its label."""
    return Example(
        texts=(row["Question"], row["Sentence"]),
        label=None,
        id=row["SentenceID"],
        group=row["QuestionID"],
        parses=None,
        line=line,
    )
