"""Vectors of words that a trained model lacks."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.files import find_file
from dsa.data.words.embeddings import look_up_vectors
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.models.registry import build_model
from dsa.system.folders import data_root

CACHED_WORDS = 10_000
log = logging.getLogger(__name__)


class VectorLookup:
    """Looks up words in a vector file.

    The results of the last 10,000 words are cached, so that the file is read only for
    other words.

    Args:
        path: the vector file.
        units: features of a vector.
        exact: whether words are looked up only as written; otherwise also lower-cased
            and capitalised.
    """

    def __init__(self, path: Path, units: int, exact: bool = False) -> None:
        self.path, self.units, self.exact = path, units, exact
        self._cache = {}  # word -> vector, or `None` if the file lacks the word

    def find(self, words: Sequence[str]) -> dict[str, np.ndarray]:
        """Returns the vectors of the words that the file contains.

        Returns: `{word: float32 (units,)}`.
        """
        new = [word for word in words if word not in self._cache]
        if new:
            log.info("looking up %d new words in %s", len(new), self.path.name)
            vectors, _ = look_up_vectors(new, self.path, self.units, exact=self.exact)
            self._cache.update((word, vectors.get(word)) for word in new)
        results = {word: self._cache[word] for word in words}
        for word in list(self._cache)[:-CACHED_WORDS]:
            del self._cache[word]
        return {word: vector for word, vector in results.items() if vector is not None}


def add_words(
    experiment: Experiment,
    vocabulary: Vocabulary,
    model: Any,
    vectors: dict[str, np.ndarray],
) -> tuple[Vocabulary, Any]:
    """Builds a copy of a Keras model with additional words.

    Args:
        experiment: the experiment of the run.
        vocabulary: the `Vocabulary` of the model.
        model: the model, which is not changed.
        vectors: `{word: (units,)}` of the additional words.

    Returns: the new vocabulary and the new model.
    """
    from keras import ops

    larger_vocabulary = Vocabulary([*vocabulary.words, *vectors])
    frozen_rows = model.embedding.frozen_rows
    if experiment.embedding.trainable:
        frozen_rows += len(vectors)
    larger = build_model(experiment, len(larger_vocabulary), frozen_rows)
    pairs = zip(_list_other_weights(larger), _list_other_weights(model), strict=True)
    for new, old in pairs:
        new.assign(ops.convert_to_numpy(old))
    table = [model.embedding.vectors(), np.stack(list(vectors.values()))]
    larger.embedding.set_vectors(np.concatenate(table))
    return larger_vocabulary, larger


def _list_other_weights(model):
    """Returns the weights of a model without its word vectors."""
    tables = [model.embedding.table, model.embedding.frozen_table]
    ids = {id(weight) for table in tables if table for weight in table.weights}
    return [weight for weight in model.weights if id(weight) not in ids]


def find_vector_file(
    experiment: Experiment,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
) -> Path | None:
    """Finds the vector file for words that a run lacks.

    Args:
        experiment: the experiment of the run.
        vectors: path given by the user; `None` for the path of the experiment.
        root: the data root of the latter.

    Returns: the path, or `None` if the run uses no file or the file of the experiment
        is missing.

    Raises: `InputError` if the given file is missing, or if the run trained its word
        vectors.
    """
    config = experiment.embedding
    if not (experiment.family.has_word_vectors and config.can_look_up):
        if vectors is not None and experiment.family.has_word_vectors:
            raise InputError(
                "this run trained its word vectors: the vectors of a file do not fit"
            )
        return None
    if vectors is not None:
        return find_file("", str(vectors))
    try:
        return find_file(data_root(root), str(config.path))
    except InputError:
        return None
