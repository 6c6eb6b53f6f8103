"""Model inputs of the rows of a corpus."""

import dataclasses

import numpy as np

from dsa.data.prepared.sentences import Sentences
from dsa.tasks.task import PREMISE_POSITIONS


@dataclasses.dataclass(frozen=True)
class ModelRows:
    """Model inputs of N rows with T sentences each.

    Args:
        sentences: `Sentences` of word ids.
        texts: indices into `sentences`, int array `(N, T)`.
        inputs: name of each of the T sentences.
        features: float32 `(N, F)`, or `None`.
    """

    sentences: Sentences
    texts: np.ndarray
    inputs: tuple[str, ...]
    features: np.ndarray | None = None

    def __len__(self):
        return len(self.texts)

    @property
    def lengths(self):
        """Number of tokens of each sentence, `(N, T)`."""
        return self.sentences.lengths[self.texts]

    def select(self, rows):
        """Returns the rows at the given positions."""
        features = None if self.features is None else self.features[rows]
        return dataclasses.replace(self, texts=self.texts[rows], features=features)

    def pad(self, rows, lengths):
        """Returns a padded batch.

        Args:
            rows: positions of the rows, `(B,)`.
            lengths: padded length L of each input, `(T,)`.

        Returns: `{input: int32 ids (B, L)}`, with the key `features`, `(B, F)`, if the
            rows have features.
        """
        columns = zip(self.inputs, self.texts[rows].T, lengths, strict=True)
        batch = {
            name: self.sentences.pad(texts, int(length))
            for name, texts, length in columns
        }
        if self.features is not None:
            batch["features"] = self.features[rows]
        return batch

    def pad_premises_once(self, rows, lengths, count=None):
        """Returns a padded batch of pairs that contains each distinct premise once.

        Args:
            rows: positions of the rows, `(B,)`.
            lengths: padded length L of premises and of hypotheses, `(2,)`.
            count: number of premises P, filled with copies of the first premise; `None`
                for the number of distinct premises.

        Returns: a dictionary of int32 ids `(P, L)` of premises, ids `(B, L)` of
            hypotheses, and the index of the premise of each pair, `(B,)`.
        """
        premises, positions = np.unique(self.texts[rows, 0], return_inverse=True)
        if count is not None:
            filled = np.full(count, premises[0])
            filled[: len(premises)] = premises
            premises = filled
        premise_name, hypothesis_name = self.inputs
        premise_length, hypothesis_length = lengths
        hypotheses = self.texts[rows, 1]
        return {
            premise_name: self.sentences.pad(premises, int(premise_length)),
            hypothesis_name: self.sentences.pad(hypotheses, int(hypothesis_length)),
            PREMISE_POSITIONS: positions.astype(np.int32),
        }
