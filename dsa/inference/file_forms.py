"""The forms of files to predict: how each is read, and what is written of its rows."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from dsa.data.corpora.input_files import read_pairs, read_questions, read_sentences
from dsa.tasks.ranking_metrics import rows_by_question


def _answer_pairs(examples, predictions, name="pairID"):
    """A record for each row."""
    for example, prediction in zip(examples, predictions, strict=True):
        yield {name: example.name, **prediction._asdict()}


def _answer_questions(examples, predictions):
    """A record for each question, with its answers ranked; equal scores stay in the
    file's order."""
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
    """A kind of file: its reader, and a function of examples and predictions to the
    records that are written."""

    read: Callable[..., Any]
    make_records: Callable[..., Any]


FORMS = {  # by a task's `file_form`
    "pairs": Form(read_pairs, _answer_pairs),
    "sentences": Form(read_sentences, functools.partial(_answer_pairs, name="id")),
    "questions": Form(read_questions, _answer_questions),
}
