"""Lookup, addition and logging of words outside the vocabulary of a model."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.files import find_file
from dsa.data.words.vector_reader import VectorReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.data_config import DataConfig
from dsa.experiment.input_config import EmbeddingConfig
from dsa.explanation import describe_unknown
from dsa.models.building import build_model
from dsa.models.family import Family
from dsa.runs.run_folder import RunFolder
from dsa.system.folders import data_root

MAX_CACHED_WORDS = 10_000
MAX_LOGGED_WORDS = 10_000  # of a run in this process; further words are not logged
_LOGGED: dict[str, set[str]] = {}  # {run folder: unknown words already logged}
log = logging.getLogger(__name__)


class VectorLookup:
    """Looks up words in a vector file, with a cache.

    The cache contains the 10,000 words that were added last. The file is only read for
    words outside the cache.

    Args:
        reader: the `VectorReader` of the file.
    """

    def __init__(self, reader: VectorReader) -> None:
        self.reader = reader
        self._cache = {}  # {word: vector}; `None` for a word missing in the file

    def find(self, words: Sequence[str]) -> dict[str, np.ndarray]:
        """Looks up the vectors of words.

        Args:
            words: words outside the vocabulary, each once.

        Returns: `{word: float32 (units,)}`, without the words missing in the file.
        """
        new = [word for word in words if word not in self._cache]
        if new:
            log.info("looking up %d new words in %s", len(new), self.reader.path.name)
            vectors, _ = self.reader.look_up(new)
            self._cache.update((word, vectors.get(word)) for word in new)
        results = {word: self._cache[word] for word in words}
        for word in list(self._cache)[:-MAX_CACHED_WORDS]:
            del self._cache[word]
        return {word: vector for word, vector in results.items() if vector is not None}


def find_new_vectors(
    lookup: VectorLookup | None, vocabulary: Vocabulary, words: Iterable[str]
) -> dict[str, np.ndarray]:
    """Looks up the vectors of the words outside a vocabulary.

    Args:
        lookup: the `VectorLookup`; `None` if the run uses no vector file.
        vocabulary: the `Vocabulary` of the model.
        words: known and unknown words.

    Returns: `{word: float32 (units,)}`, without the words missing in the file.
    """
    unknown = vocabulary.list_unknown(words)
    if not unknown or lookup is None:
        return {}
    return lookup.find(unknown)


def add_words(
    experiment: Experiment,
    vocabulary: Vocabulary,
    model: Any,
    vectors: dict[str, np.ndarray],
) -> tuple[Vocabulary, Any]:
    """Returns a copy of a Keras model with a larger vocabulary.

    Args:
        experiment: the experiment of the run.
        vocabulary: the `Vocabulary` of the model.
        model: the Keras model; it is not modified.
        vectors: `{word: array (units,)}` of the additional words.

    Returns: the new vocabulary and the new model.
    """
    from keras import ops

    larger_vocabulary = Vocabulary([*vocabulary.words, *vectors])
    frozen_rows = model.embedding.frozen_rows
    if experiment.embedding.trainable:
        frozen_rows += len(vectors)
    larger_model = build_model(experiment, len(larger_vocabulary), frozen_rows)
    for new_weight, weight in zip(
        _list_other_weights(larger_model), _list_other_weights(model), strict=True
    ):
        new_weight.assign(ops.convert_to_numpy(weight))
    table = [model.embedding.vectors(), np.stack(list(vectors.values()))]
    larger_model.embedding.set_vectors(np.concatenate(table))
    return larger_vocabulary, larger_model


def _list_other_weights(model):
    """Returns all weights of a model except its word vectors."""
    tables = [model.embedding.table, model.embedding.frozen_table]
    ids = {id(weight) for table in tables if table for weight in table.weights}
    return [weight for weight in model.weights if id(weight) not in ids]


def find_vector_file(
    family: Family,
    embedding: EmbeddingConfig,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
) -> Path | None:
    """Returns the vector file for words outside the vocabulary of a run.

    Args:
        family: model family of the run.
        embedding: the `embedding` section of the run's config.
        vectors: path of the file; `None` for the path in the config.
        root: the data root, for the path in the config.

    Returns: the path, or `None` if the run uses no vector file, or if `vectors` is
        `None` and the file in the config is missing.

    Raises: `InputError` if the file `vectors` is missing, or if `vectors` is given for
        a run that trained its word vectors or has none.
    """
    if not (family.has_word_vectors and embedding.can_look_up):
        if vectors is not None:
            reason = "trained its" if family.has_word_vectors else "has no"
            raise InputError(
                f"this run {reason} word vectors, so a vector file cannot be used"
            )
        return None
    if vectors is not None:
        return find_file("", str(vectors))
    try:
        return find_file(data_root(root), str(embedding.path))
    except InputError:
        return None


def list_training_checksums(run: RunFolder, data: DataConfig) -> list[str]:
    """Returns the SHA-256 of the files whose words were looked up in training.

    The list is empty if the splits are rows of one file. The training file is omitted
    if the run was trained on a part of its rows.

    Args:
        run: the run folder.
        data: the `data` section of the run's config.
    """
    if data.splits_of_divided_file:
        return []
    splits = ["dev"]
    if data.train_rows is None and not data.training_options.selects_rows:
        splits.append("train")
    sha256 = run.environment()["sha256"]
    return [sha256[split] for split in splits if split in sha256]


def log_unknown_words(run: Path, vocabulary: Vocabulary, words: Iterable[str]) -> None:
    """Logs a warning with the unknown words. Each word is logged once per process.

    After `MAX_LOGGED_WORDS` words of a run, no further words are logged.

    Args:
        run: path of the run folder.
        vocabulary: the `Vocabulary` of the model.
        words: known and unknown words.
    """
    if not log.isEnabledFor(logging.WARNING):
        return
    logged = _LOGGED.setdefault(str(run), set())
    unknown = [word for word in vocabulary.list_unknown(words) if word not in logged]
    if unknown and len(logged) < MAX_LOGGED_WORDS:
        logged.update(unknown)
        log.warning("%s", describe_unknown(unknown))
