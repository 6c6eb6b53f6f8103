"""Token sequences in flat arrays."""

import numpy as np


class Sentences:
    """Token ids of many sentences: sentence `i` is `ids[offsets[i]:offsets[i + 1]]`.

    Args:
        ids: int array `(tokens,)`.
        offsets: int array `(sentences + 1,)`, starting with 0.
    """

    def __init__(self, ids, offsets):
        self.ids = ids
        self.offsets = offsets

    def __len__(self):
        return len(self.offsets) - 1

    @property
    def lengths(self):
        """Number of tokens of each sentence, `(sentences,)`."""
        return np.diff(self.offsets)

    @classmethod
    def from_lists(cls, lists):
        """Creates `Sentences` from an iterable of lists of ids."""
        lists = list(lists)
        flat = [token for ids in lists for token in ids]
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return cls(np.array(flat, np.int32), offsets)

    def join(self, others):
        """Returns the concatenation with other `Sentences`."""
        offsets = others.offsets[1:] + self.offsets[-1]
        return Sentences(
            np.concatenate([self.ids, others.ids]),
            np.concatenate([self.offsets, offsets]),
        )

    def select(self, positions):
        """Returns the sentences at the given positions, in that order."""
        starts, lengths = self.offsets[positions], self.lengths[positions]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(starts - offsets[:-1], lengths)
        return Sentences(self.ids[np.arange(offsets[-1]) + shift], offsets)

    def fill_empty(self, token):
        """Returns the sentences with empty sentences replaced by a single token."""
        empty = self.lengths == 0
        ids = np.insert(self.ids, self.offsets[:-1][empty], token)
        offsets = np.concatenate([[0], np.cumsum(np.maximum(self.lengths, empty))])
        return Sentences(ids, offsets)

    def pad(self, positions, length=None):
        """Returns the sentences at the given positions, `(B,)`, padded with zeros to
        int32 `(B, L)`. L is `length`, by default the length of the longest sentence, at
        least 1."""
        starts = self.offsets[positions]
        lengths = self.offsets[np.asarray(positions) + 1] - starts
        columns = np.arange(length or lengths.max(initial=1))
        real = columns < lengths[:, None]
        padded = np.zeros(real.shape, np.int32)
        padded[real] = self.ids[(starts[:, None] + columns)[real]]
        return padded
