"""Predicts the labels or scores of rows with a trained model."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.data.corpora.example import Example
from dsa.inference.preparation import read_examples
from dsa.inference.python_inputs import Rows, check_batch_size, join_texts

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel


def predict_rows(
    trained: "TrainedModel",
    rows: Rows,
    others: Sequence[str],
    batch_size: int | None,
    columns: Mapping[str, str] | None,
) -> list[Any]:
    """Predicts rows passed from Python.

    Args:
        trained: the model.
        rows, others, batch_size, columns: see `TrainedModel.predict`.

    Returns: a list of predictions, also for a table.

    Raises: `InputError`, see `TrainedModel.predict`.
    """
    examples = read_examples(trained, join_texts(rows, others), columns)
    return trained.predict_examples(examples, batch_size=batch_size)


def predict_examples(
    trained: "TrainedModel",
    examples: Sequence[Example],
    source: Any,
    batch_size: int | None,
) -> list[Any]:
    """Predicts the labels or scores of `Example`s.

    A text without tokens is read as the unknown word.

    Args:
        trained: the model.
        examples: the rows.
        source: name of the rows in error messages.
        batch_size: see `TrainedModel.predict`.

    Returns: a list of predictions.

    Raises: `InputError`, see `TrainedModel.predict`.
    """
    check_batch_size(batch_size)
    if not examples:
        return []
    for example in examples:
        trained.check_inputs(example.texts)
    prepared = trained.prepare(examples, source)
    model = trained.with_words(prepared.words)
    model.log_unknown(prepared.words)
    rows = model.reader.convert(prepared, model.vocabulary)
    logits = model.inference.logits(rows, batch_size)
    return [model.task.answer(row_logits) for row_logits in logits]


def make_probability_array(
    predictions: Sequence[Any], labels: Sequence[str]
) -> np.ndarray:
    """Returns the probabilities of predictions as an array.

    Args:
        predictions: N `Prediction`s.
        labels: the labels, in the order of the columns.

    Returns: float64 `(N, labels)`.
    """
    probabilities = np.empty((len(predictions), len(labels)))
    for row, prediction in enumerate(predictions):
        for column, label in enumerate(labels):
            probabilities[row, column] = prediction.probabilities[label]
    return probabilities
