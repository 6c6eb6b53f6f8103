"""Predictions for the rows of a file."""

import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dsa.data.corpora.corpus import OWN
from dsa.data.corpora.input_files import read_pairs, read_questions, read_sentences
from dsa.data.corpora.own import has_own_columns, read_own_unlabelled
from dsa.experiment.run_folder import RunFolder
from dsa.inference.ensemble import check_members, load_models
from dsa.tasks.ranking_metrics import rows_by_question


def predict_file(
    runs: Sequence[RunFolder],
    path: str | Path,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
) -> str:
    """The predictions of a run, or the mean of several, for a file of pairs, of
    sentences or of questions, as their task has them, see
    `dsa.data.corpora.input_files`; "-" is standard input.

    Args:
        runs: the `RunFolder`s. The first one says how a file of own columns is read.
        vectors: a vector file for words that the run lacks.
        root: the data root.

    Returns: a text, one line for each row, in the file's order: its `pairID` (`id` for
        a sentence) and what the task answers; for questions one line for each, with its
        answers, the best one first.

    Raises: as `load`, and `InputError` for runs that cannot answer together and for a
        malformed file, before anything is loaded.
    """
    check_members(runs)
    experiment = runs[0].experiment()
    form = FORMS[experiment.task.file_form]
    examples = list(_read_own(path, experiment) or form.read(path))
    predictions = load_models(runs, vectors, root).predict_examples(examples, path)
    records = form.make_records(examples, predictions)
    return "".join(json.dumps(record) + "\n" for record in records)


def _read_own(path, experiment):
    """The examples of a file with the columns of the run's config; `None` of another
    file, or for a run on a known corpus."""
    data, inputs = experiment.data, experiment.task.inputs
    if data.corpus != OWN or not has_own_columns(path, inputs, data.columns.names):
        return None
    return read_own_unlabelled(path, inputs, data.columns.names)


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
