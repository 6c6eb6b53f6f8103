"""Readers and output records of input files of pairs, sentences and questions."""

from collections.abc import Callable
from typing import Any, NamedTuple

from dsa.data.corpora.input_files import read_pairs, read_questions, read_sentences
from dsa.tasks.ranking_metrics import group_by_question


def _make_pair_records(examples, predictions):
    """Yields a record for each pair: its `pairID` and its prediction."""
    for example, prediction in zip(examples, predictions, strict=True):
        yield {"pairID": example.name, **prediction._asdict()}


def _make_sentence_records(examples, predictions):
    """Yields a record for each sentence: its `id` and its prediction."""
    for example, prediction in zip(examples, predictions, strict=True):
        yield {"id": example.name, **prediction._asdict()}


def _make_question_records(examples, predictions):
    """Yields a record for each question, with its answers in descending score order.

    Answers with equal scores remain in file order.
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
    """Reader and output records of a form of input files.

    Attributes:
        read: function that yields the rows of a file.
        make_records: function that maps the rows and their predictions to output
            records.
    """

    read: Callable[..., Any]
    make_records: Callable[..., Any]


FORMS = {  # by `file_form` of the task
    "pairs": Form(read_pairs, _make_pair_records),
    "sentences": Form(read_sentences, _make_sentence_records),
    "questions": Form(read_questions, _make_question_records),
}
