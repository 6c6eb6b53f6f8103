"""Readers and output records of input files of pairs, sentences and questions."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from dsa.data.corpora.input_files import read_pairs, read_questions, read_sentences
from dsa.tasks.ranking_metrics import group_by_question


def _make_row_records(examples, predictions, name="pairID"):
    """Yields a record for each row: its name and its prediction.

    Args:
        examples: the rows.
        predictions: the prediction of each row.
        name: key of the row name in the record.
    """
    for example, prediction in zip(examples, predictions, strict=True):
        yield {name: example.name, **prediction._asdict()}


def _make_question_records(examples, predictions):
    """Yields a record for each question, with its answers in descending score order.

    Answers with equal scores are in file order.
    """
    groups = [example.group for example in examples]
    for name, rows in group_by_question(groups).items():
        ranked = sorted(rows, key=lambda row: -predictions[row].score)
        question = examples[rows[0]].texts[0]
        answers = [
            {
                "rank": rank,
                "id": examples[row].name,
                "answer": examples[row].texts[1],
                "score": predictions[row].score,
                "probability": predictions[row].probability,
            }
            for rank, row in enumerate(ranked, start=1)
        ]
        yield {"id": name, "question": question, "answers": answers}


class Form(NamedTuple):
    """Form of an input file.

    Attributes:
        read: function that reads the rows of a file.
        make_records: function that maps examples and predictions to output records.
    """

    read: Callable[..., Any]
    make_records: Callable[..., Any]


FORMS = {  # by `file_form` of the task
    "pairs": Form(read_pairs, _make_row_records),
    "sentences": Form(read_sentences, functools.partial(_make_row_records, name="id")),
    "questions": Form(read_questions, _make_question_records),
}
