"""Encodes sentences with a trained model, and compares sentence vectors."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.inference.preparation import check_nonempty_text
from dsa.inference.python_inputs import (
    Texts,
    check_batch_size,
    check_boolean,
    make_examples,
    read_texts,
    split_pair,
)
from dsa.inference.sentence_vectors import compute_cosines, normalize_rows

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel


def encode_texts(
    trained: "TrainedModel", texts: Texts, normalize: bool, batch_size: int | None
) -> np.ndarray:
    """Returns sentence vectors; see `TrainedModel.encode`."""
    trained.check_encodes()
    check_batch_size(batch_size)
    check_boolean(normalize, "normalize")
    examples = make_examples((text,) for text in read_texts(texts, trained.columns))
    for example in examples:
        check_nonempty_text(example.texts[0], f"the text {example.row}")
    prepared = trained.prepare(examples)
    model = trained.with_words(prepared.words)
    model.log_unknown(prepared.words)
    sentences = model.vocabulary.sentences(prepared)
    vectors = model.inference.vectors(sentences, batch_size)
    if len(vectors) < len(examples):  # duplicate texts; otherwise this is a copy
        vectors = vectors[prepared.sentence_indices[:, 0]]
    if normalize:
        vectors = normalize_rows(vectors)
    if isinstance(texts, str):
        return vectors[0]
    return vectors


def compute_similarity(
    trained: "TrainedModel", first: Any, second: Any
) -> np.ndarray | float:
    """Returns the cosine similarity of sentences; see `TrainedModel.similarity`."""
    if second is None:
        first, second = split_pair(first)
    if not _is_vectors(first):
        first = trained.encode(first)
    if not _is_vectors(second):
        second = trained.encode(second)
    return compute_cosines(first, second)


def _is_vectors(value):
    """Returns whether a value is a numeric array. An array of strings is a list of
    texts."""
    return isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.number)
