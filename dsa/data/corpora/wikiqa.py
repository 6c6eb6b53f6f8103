"""Reader of WikiQA: questions and candidate sentences from Wikipedia pages.

Yang et al. 2015, https://aclanthology.org/D15-1237. The authors' archive has `.tsv`
files of seven tab-separated columns with a header line, and `.txt` files of tokenized
texts: question, sentence and label, without a header. Quotation marks in texts are not
quoting. The data set of Hugging Face has the columns of `HUB_COLUMNS`. The rows of a
question are adjacent.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dsa.config_section import setting
from dsa.data.corpora.columns import parse_binary_label, read_named_columns, split_tabs
from dsa.data.corpora.corpus import CorpusOptions
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_first_line, read_lines
from dsa.data.corpora.own import has_columns, make_example, read_column_rows
from dsa.errors import InputError
from dsa.tasks.ranking import Ranking
from dsa.tasks.ranking_metrics import answered_rows

COLUMNS = (
    *("QuestionID", "Question", "DocumentID", "DocumentTitle"),
    *("SentenceID", "Sentence", "Label"),
)
HUB_COLUMNS = ("question_id", "question", "answer", "label")
TOKENIZED = ("Question", "Sentence", "Label")  # of `.txt` files


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
        return np.flatnonzero(answered_rows(groups, labels == task.number("right")))


def read_wikiqa(path: Path | str, task: Ranking) -> Iterator[Example]:
    """Yields an `Example` for every question and sentence, with the question id as
    group. `Label` 0 is the first label of the task. Without a header line, the ids are
    the numbers of the questions and rows.

    Raises: `InputError` also if no question has a right answer.
    """
    labels = set()
    if has_columns(path, HUB_COLUMNS):
        rows = _read_hub_rows(path)
    elif read_first_line(path).count("\t") == len(TOKENIZED) - 1:
        rows = _read_tokenized(path)
    else:
        rows = read_wikiqa_rows(read_lines(path), path)
    for number, row in rows:
        place = f"{path}, row {number}"
        label = parse_binary_label(row["Label"], task, "'Label'", place)
        labels.add(row["Label"])
        yield make_answer_row(row, number)._replace(label=label)
    if labels == {"0"}:
        raise InputError(
            f"{path}: no question has a right answer, so that nothing can be trained "
            "or evaluated"
        )


def _read_hub_rows(path):
    """Yields `(row number, {column: text})` of the data set of Hugging Face."""
    columns = {"question": "question", "answer": "answer"}
    questions, last = set(), None
    for number, row in read_column_rows(path, HUB_COLUMNS):
        place, group = f"{path}, row {number}", str(row["question_id"])
        question, answer = make_example(row, number, columns, columns, place).texts
        last = check_question_order(group, last, questions, place)
        named = {"QuestionID": group, "Question": question, "SentenceID": None}
        yield number, named | {"Sentence": answer, "Label": str(row["label"])}


def _read_tokenized(path):
    """Yields `(row number, {column: text})` of a file without a header line."""
    questions, last = set(), None
    for number, fields in split_tabs(read_lines(path)):
        place = f"{path}, line {number}"
        if len(fields) != len(TOKENIZED):
            raise InputError(
                f"{place}: a line must be question, tab, sentence, tab, label. "
                f"Received: {len(fields)} fields"
            )
        row = dict(zip(TOKENIZED, fields, strict=True))
        last = check_question_order(row["Question"], last, questions, place)
        yield number, row | {"QuestionID": str(len(questions)), "SentenceID": None}


def read_wikiqa_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(row number, {column: text})` of numbered lines.

    Raises: `InputError` as `read_named_columns` and `check_question_order`, for two
        questions with the same id, and for a duplicate sentence of a question.
    """
    questions, last, text, sentences = set(), None, "", set()
    for number, row in read_named_columns(split_tabs(lines), path, COLUMNS):
        place, question = f"{path}, row {number}", row["QuestionID"]
        if check_question_order(question, last, questions, place) != last:
            last, text, sentences = question, row["Question"], set()
        if row["Question"] != text:
            raise InputError(f"{place}: two questions with the id {question[:80]!r}")
        sentence = row["SentenceID"]
        if sentence in sentences:
            raise InputError(
                f"{place}: duplicate sentence {sentence[:80]!r} of the question"
            )
        sentences.add(sentence)
        yield number, row


def check_question_order(
    question: str, last: str | None, questions: set[str], place: str
) -> str:
    """Returns the question of a row after adding it to `questions`, the questions read
    so far. `last` is the question of the previous row.

    Raises: `InputError` if the rows of a question are not adjacent.
    """
    if question != last and question in questions:
        raise InputError(
            f"{place}: the rows of question {question[:80]!r} are not adjacent"
        )
    questions.add(question)
    return question


def make_answer_row(row: dict, number: int) -> Example:
    """Returns the unlabelled `Example` of a row."""
    texts = (row["Question"], row["Sentence"])
    return Example(texts, None, row["SentenceID"], row["QuestionID"], None, number)
