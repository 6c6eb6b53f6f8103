"""Vocabulary and word vectors of a run."""

import dataclasses

import numpy as np

from dsa.data.words.vocabulary import Vocabulary
from dsa.runs.run_folder import RunFolder


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
        """Returns the initial vector of a word.

        The result is `None` for an unknown word, and for every word if there are no
        vectors.
        """
        if self.vectors is None or word not in self.vocabulary:
            return None
        return self.vectors[self.vocabulary.ids([word])[0]]


def load_words(run: RunFolder) -> Words:
    """Loads the vocabulary of a run to resume, without vectors."""
    environment = run.environment()
    return Words(
        run.vocabulary(),
        frozen_rows=environment.get("frozen_rows", 0),
        sha256=environment["sha256"].get("vectors"),
    )
