"""Rows of model inputs."""

import dataclasses

import numpy as np

from dsa.data.prepared.sentences import Sentences
from dsa.tasks.task import PREMISE_POSITIONS


@dataclasses.dataclass(frozen=True)
class ModelRows:
    """Model inputs of N rows with T sentences each."""

    sentences: Sentences  # ids of the vocabulary
    texts: np.ndarray  # `(N, T)` positions in `sentences`
    inputs: tuple[str, ...]  # names of the T sentences
    features: np.ndarray | None = None  # float32 `(N, F)`

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
        """Returns a batch of the rows at the given positions `(B,)`: int32 ids `(B, L)`
        by input, and `features` `(B, F)` if the rows have features. `lengths` is L for
        each input, `(T,)`."""
        columns = zip(self.inputs, self.texts[rows].T, lengths, strict=True)
        batch = {
            name: self.sentences.pad(texts, int(length))
            for name, texts, length in columns
        }
        if self.features is not None:
            batch["features"] = self.features[rows]
        return batch

    def pad_premises_once(self, rows, lengths, count=None):
        """Returns a batch of pairs that contains every distinct premise once: int32 ids
        `(P, L)` of premises and `(B, L)` of hypotheses, and the index of each pair's
        premise, int32 `(B,)`. The premises are padded with copies of the first premise
        to P = `count`; `None` for no padding."""
        premises, positions = np.unique(self.texts[rows, 0], return_inverse=True)
        if count is not None:
            filled = np.full(count, premises[0])
            filled[: len(premises)] = premises
            premises = filled
        both = zip(self.inputs, (premises, self.texts[rows, 1]), lengths, strict=True)
        batch = {
            name: self.sentences.pad(texts, int(length)) for name, texts, length in both
        }
        return batch | {PREMISE_POSITIONS: positions.astype(np.int32)}
