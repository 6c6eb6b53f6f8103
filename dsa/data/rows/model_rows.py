"""Rows as a model reads them."""

import dataclasses

import numpy as np

from dsa.data.prepared.sentences import Sentences
from dsa.tasks.task import PREMISE_POSITIONS


@dataclasses.dataclass(frozen=True)
class ModelRows:
    """N rows as a model reads them, each of T sentences."""

    sentences: Sentences  # as ids of the vocabulary
    texts: np.ndarray  # `(N, T)` positions in `sentences`
    inputs: tuple[str, ...]  # the names of the T sentences
    features: np.ndarray | None = None  # float32 `(N, F)`, further ones of each row

    def __len__(self):
        return len(self.texts)

    @property
    def lengths(self):
        """Tokens of each sentence of each row, `(N, T)`."""
        return self.sentences.lengths[self.texts]

    def select(self, rows):
        """Some rows, by their positions."""
        features = None if self.features is None else self.features[rows]
        return dataclasses.replace(self, texts=self.texts[rows], features=features)

    def pad(self, rows, lengths):
        """Rows at some positions `(B,)` as a batch: int32 ids `(B, L)` by input, and
        `features` `(B, F)` where there are any. `lengths`: L of each input, `(T,)`."""
        columns = zip(self.inputs, self.texts[rows].T, lengths, strict=True)
        batch = {
            name: self.sentences.pad(texts, int(length))
            for name, texts, length in columns
        }
        if self.features is not None:
            batch["features"] = self.features[rows]
        return batch

    def pad_premises_once(self, rows, lengths, count=None):
        """Pairs as a batch in which every distinct premise stands once: int32 ids
        `(P, L)` of premises and `(B, L)` of hypotheses, and the position of each pair's
        premise among the P, int32 `(B,)`. `count`: P, filled up with the first premise;
        `None` for the distinct ones only."""
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
