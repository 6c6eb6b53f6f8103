"""Vocabulary and word vectors of a run."""

import dataclasses
import hashlib

import numpy as np

from dsa.data.words.embeddings import (
    EmbeddingSettings,
    KnownWords,
    build_embedding,
    extend_embedding,
)
from dsa.data.words.vector_reader import VectorReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.experiment.input_config import EmbeddingConfig
from dsa.runs.run_folder import RunFolder
from dsa.seeds import derived_seed


@dataclasses.dataclass(frozen=True)
class Words:
    """Vocabulary and word vectors of a run.

    Args:
        vocabulary: the `Vocabulary`.
        vectors: initial word vectors of a new run, float32 `(len(vocabulary), units)`;
            `None` for a resumed run and for models without word vectors.
        frozen_rows: number of frozen rows at the end of `vectors`.
        sha256: SHA-256 of the initial vectors; `None` without vectors.
    """

    vocabulary: Vocabulary
    vectors: np.ndarray | None = None
    frozen_rows: int = 0
    sha256: str | None = None

    def find_vector(self, word: str) -> np.ndarray | None:
        """Returns the vector of a word, or `None` for an unknown word."""
        if self.vectors is None or word not in self.vocabulary:
            return None
        return self.vectors[self.vocabulary.ids([word])[0]]


def build_words(  # noqa: PLR0913
    embedding: EmbeddingConfig,
    vector_reader: VectorReader | None,
    lowercase: bool,
    train_words: list[str],
    dev_words: list[str],
    special_words: list[str],
    seed: int,
    known_words: KnownWords | None = None,
) -> Words:
    """Builds the vocabulary and the initial word vectors of a new run.

    Args:
        embedding: the `embedding` section.
        vector_reader: reader of the vector file; `None` for random vectors.
        lowercase: whether the tokenizer lower-cases words.
        train_words, dev_words, special_words: see `build_embedding`.
        seed: seed of the run.
        known_words: words of the run in `training.start_from`, see `extend_embedding`;
            `None` if the run is trained from random weights.
    """
    settings = EmbeddingSettings(
        units=embedding.units,
        trainable=embedding.trainable,
        frozen_outside=embedding.outside == "frozen",
        frequent_words=embedding.frequent_words,
        lowercase=lowercase,
        random=embedding.random,
        random_scale=embedding.random_scale,
    )
    vector_seed = derived_seed(seed, "vectors")
    if known_words is None:
        vocabulary, vectors, frozen_rows = build_embedding(
            settings, vector_reader, train_words, dev_words, vector_seed, special_words
        )
    else:
        vocabulary, vectors, frozen_rows = extend_embedding(
            known_words,
            settings,
            vector_reader,
            train_words,
            dev_words,
            vector_seed,
            special_words,
        )
    sha256 = hashlib.sha256(vectors.tobytes()).hexdigest()
    return Words(vocabulary, vectors, frozen_rows, sha256)


def load_words(run: RunFolder) -> Words:
    """Loads the vocabulary of a run to resume, without vectors."""
    environment = run.environment()
    return Words(
        run.vocabulary(),
        frozen_rows=environment.get("frozen_rows", 0),
        sha256=environment["sha256"].get("vectors"),
    )
