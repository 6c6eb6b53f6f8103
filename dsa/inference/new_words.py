"""Words that a trained model lacks, from its vector file."""

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

log = logging.getLogger(__name__)


class VectorLookup:
    """A vector file with `units` features that answers for each word once: it is read
    again only for words that were not asked before. With `exact` a word is looked up
    only as it is written."""

    def __init__(self, path: Path, units: int, exact: bool = False) -> None:
        self.path, self.units, self.exact = path, units, exact
        self._answers = {}  # word -> vector, or None where the file has none

    def find(self, words: Sequence[str]) -> dict[str, np.ndarray]:
        """`{word: float32 (units,)}` of the words that the file has."""
        if new := [word for word in words if word not in self._answers]:
            log.info("looking up %d new words in %s", len(new), self.path.name)
            vectors, _ = look_up_vectors(new, self.path, self.units, exact=self.exact)
            self._answers.update((word, vectors.get(word)) for word in new)
        answers = ((word, self._answers[word]) for word in words)
        return {word: vector for word, vector in answers if vector is not None}


def add_words(
    experiment: Experiment,
    vocabulary: Vocabulary,
    model: Any,
    vectors: dict[str, np.ndarray],
) -> tuple[Vocabulary, Any]:
    """A new vocabulary and Keras model of a run that know further words,
    `{word: (units,)}`; the given ones stay as they are."""
    from keras import ops

    longer = Vocabulary([*vocabulary.words, *vectors])
    frozen_rows = model.embedding.frozen_rows
    if experiment.embedding.trainable:
        frozen_rows += len(vectors)
    larger = build_model(experiment, len(longer), frozen_rows)
    for new, old in zip(_without_tables(larger), _without_tables(model), strict=True):
        new.assign(ops.convert_to_numpy(old))
    table = [model.embedding.vectors(), np.stack(list(vectors.values()))]
    larger.embedding.set_vectors(np.concatenate(table))
    return longer, larger


def _without_tables(model):
    """A model's weights without its embedding tables."""
    tables = [model.embedding.table, model.embedding.frozen_table]
    ids = {id(weight) for table in tables if table for weight in table.weights}
    return [weight for weight in model.weights if id(weight) not in ids]


def find_vector_file(
    experiment: Experiment,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
) -> Path | None:
    """The path of the vector file that the user names, or else that of the run's
    config below the data root, where it can be found; `None` for none.

    Raises: `InputError` for a file that is given to a run that trained its vectors.
    """
    config = experiment.embedding
    if not (experiment.family.has_word_vectors and config.can_look_up):
        if vectors is not None and experiment.family.has_word_vectors:
            raise InputError(
                "this run trained its word vectors: vectors of a file do not fit them"
            )
        return None
    if vectors is not None:
        return find_file("", str(vectors))
    try:
        return find_file(data_root(root), str(config.path))
    except InputError:
        return None
