"""Forms of input files: their readers, and the records of their predictions."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from dsa.data.corpora.input_files import read_pairs, read_questions, read_sentences
from dsa.tasks.ranking_metrics import rows_by_question


def _make_row_records(examples, predictions, name="pairID"):
    """Yields a record for each row."""
    for example, prediction in zip(examples, predictions, strict=True):
        yield {name: example.name, **prediction._asdict()}


def _make_question_records(examples, predictions):
    """Yields a record for each question, with its answers by falling score.

    Answers with equal scores keep the order of the file.
    """
    groups = [example.group for example in examples]
    for name, rows in rows_by_question(groups).items():
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
        read: reads the rows of a file.
        make_records: maps examples and predictions to the records of the output.
    """

    read: Callable[..., Any]
    make_records: Callable[..., Any]


FORMS = {  # by a task's `file_form`
    "pairs": Form(read_pairs, _make_row_records),
    "sentences": Form(read_sentences, functools.partial(_make_row_records, name="id")),
    "questions": Form(read_questions, _make_question_records),
}
