"""Model inputs of corpus rows."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from dsa.data.prepared.sentences import Sentences
from dsa.tasks.task import PREMISE_POSITIONS

Batch = dict[str, np.ndarray]  # arrays by input name


@dataclasses.dataclass(frozen=True)
class ModelRows:
    """Model inputs of N rows with T sentences each.

    Args:
        sentences: `Sentences` of word ids.
        sentence_indices: indices into `sentences`, int array `(N, T)`.
        inputs: names of the T inputs, such as `("premise", "hypothesis")`.
        features: features of each row, float32 `(N, F)`; `None` for rows without
            features.
    """

    sentences: Sentences
    sentence_indices: np.ndarray
    inputs: tuple[str, ...]
    features: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.sentence_indices)

    @property
    def lengths(self) -> np.ndarray:
        """Number of tokens of each sentence, `(N, T)`."""
        return self.sentences.lengths[self.sentence_indices]

    def select(self, rows: np.ndarray) -> "ModelRows":
        """Returns the rows at the given positions."""
        features = None if self.features is None else self.features[rows]
        return dataclasses.replace(
            self, sentence_indices=self.sentence_indices[rows], features=features
        )

    def pad(self, rows: np.ndarray, lengths: Sequence[int] | np.ndarray) -> Batch:
        """Returns a padded batch.

        Args:
            rows: positions of the rows, `(B,)`.
            lengths: padded length L of each input, `(T,)`.

        Returns: a dictionary with the int32 ids of each input, `(B, L)`, and the
            features as `features`, `(B, F)`, if the rows have features.
        """
        batch = {}
        columns = self.sentence_indices[rows].T  # (T, B)
        for name, indices, length in zip(self.inputs, columns, lengths, strict=True):
            batch[name] = self.sentences.pad(indices, int(length))
        if self.features is not None:
            batch["features"] = self.features[rows]
        return batch

    def pad_premises_once(
        self,
        rows: np.ndarray,
        lengths: Sequence[int] | np.ndarray,
        count: int | None = None,
    ) -> Batch:
        """Returns a padded batch of pairs that contains each distinct premise once.

        Args:
            rows: positions of the rows, `(B,)`.
            lengths: padded length L of premises and of hypotheses, `(2,)`.
            count: P, the number of premises in the batch. Copies of the first premise
                are added up to this number. `None` for the number of distinct premises.

        Returns: a dictionary with the int32 ids of the premises, `(P, L)`, the int32
            ids of the hypotheses, `(B, L)`, and `PREMISE_POSITIONS`, the position of
            the premise of each pair, int32 `(B,)`.
        """
        premises, positions = np.unique(
            self.sentence_indices[rows, 0], return_inverse=True
        )
        if count is not None:
            filled = np.full(count, premises[0])
            filled[: len(premises)] = premises
            premises = filled
        premise_name, hypothesis_name = self.inputs
        premise_length, hypothesis_length = lengths
        hypotheses = self.sentence_indices[rows, 1]
        return {
            premise_name: self.sentences.pad(premises, int(premise_length)),
            hypothesis_name: self.sentences.pad(hypotheses, int(hypothesis_length)),
            PREMISE_POSITIONS: positions.astype(np.int32),
        }
