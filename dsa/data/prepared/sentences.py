"""Token ids of many sentences in flat arrays."""

from collections.abc import Iterable, Sequence

import numpy as np


class Sentences:
    """Token ids of N sentences. Sentence `i` is `ids[offsets[i]:offsets[i + 1]]`.

    Args:
        ids: token ids of all sentences, int array `(number of tokens,)`.
        offsets: start of each sentence and end of the last sentence, int array
            `(N + 1,)`.
    """

    def __init__(self, ids: np.ndarray, offsets: np.ndarray) -> None:
        self.ids = ids
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Number of tokens of each sentence, `(N,)`."""
        return np.diff(self.offsets)

    @classmethod
    def from_lists(cls, sentences: Iterable[Sequence[int]]) -> "Sentences":
        """Creates `Sentences` from one list of token ids per sentence."""
        sentences = list(sentences)
        flat = [token for ids in sentences for token in ids]
        offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        return cls(np.array(flat, np.int32), offsets)

    def join(self, others: "Sentences") -> "Sentences":
        """Returns these sentences followed by the sentences of `others`."""
        other_offsets = others.offsets[1:] + self.offsets[-1]
        return Sentences(
            np.concatenate([self.ids, others.ids]),
            np.concatenate([self.offsets, other_offsets]),
        )

    def select(self, positions: np.ndarray) -> "Sentences":
        """Returns the sentences at the given positions, in that order."""
        starts = self.offsets[positions]
        lengths = self.lengths[positions]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(starts - offsets[:-1], lengths)
        return Sentences(self.ids[np.arange(offsets[-1]) + shift], offsets)

    def fill_empty(self, token: int) -> "Sentences":
        """Returns the sentences after inserting the id `token` into empty sentences."""
        is_empty = self.lengths == 0
        ids = np.insert(self.ids, self.offsets[:-1][is_empty], token)
        offsets = np.concatenate([[0], np.cumsum(np.maximum(self.lengths, 1))])
        return Sentences(ids, offsets)

    def pad(self, positions: np.ndarray, length: int | None = None) -> np.ndarray:
        """Returns the sentences at the given positions as a padded array.

        Args:
            positions: int array `(B,)`.
            length: padded length L, to which longer sentences are truncated; `None`
                for the length of the longest selected sentence, at least 1.

        Returns: int32 array `(B, L)`. The padding id is 0.
        """
        starts = self.offsets[positions]
        lengths = self.offsets[np.asarray(positions) + 1] - starts
        if length is None:
            length = int(lengths.max(initial=1))
        columns = np.arange(length)
        is_token = columns < lengths[:, None]  # (B, L)
        padded = np.zeros(is_token.shape, np.int32)
        padded[is_token] = self.ids[(starts[:, None] + columns)[is_token]]
        return padded
