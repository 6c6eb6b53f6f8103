"""Token ids of many sentences in flat arrays."""

import numpy as np


class Sentences:
    """Token ids of many sentences. Sentence `i` is `ids[offsets[i]:offsets[i + 1]]`.

    Args:
        ids: token ids of all sentences, int array `(tokens,)`.
        offsets: start of each sentence and end of the last sentence, int array
            `(sentences + 1,)`.
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
    def from_lists(cls, sentences):
        """Creates `Sentences` from an iterable of lists of ids."""
        sentences = list(sentences)
        flat = [token for ids in sentences for token in ids]
        offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        return cls(np.array(flat, np.int32), offsets)

    def join(self, others):
        """Returns the concatenation with other `Sentences`."""
        other_offsets = others.offsets[1:] + self.offsets[-1]
        return Sentences(
            np.concatenate([self.ids, others.ids]),
            np.concatenate([self.offsets, other_offsets]),
        )

    def select(self, positions):
        """Returns the sentences at the given positions, in that order."""
        starts, lengths = self.offsets[positions], self.lengths[positions]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(starts - offsets[:-1], lengths)
        return Sentences(self.ids[np.arange(offsets[-1]) + shift], offsets)

    def fill_empty(self, token):
        """Returns the sentences with each empty sentence replaced by one token."""
        is_empty = self.lengths == 0
        ids = np.insert(self.ids, self.offsets[:-1][is_empty], token)
        offsets = np.concatenate([[0], np.cumsum(np.maximum(self.lengths, 1))])
        return Sentences(ids, offsets)

    def pad(self, positions, length=None):
        """Returns the sentences at the given positions as a padded array.

        Args:
            positions: int array `(B,)`.
            length: L, the padded length; by default, the length of the longest
                sentence, at least 1.

        Returns: int32 `(B, L)`; padding is 0.
        """
        starts = self.offsets[positions]
        lengths = self.offsets[np.asarray(positions) + 1] - starts
        columns = np.arange(length or lengths.max(initial=1))
        is_token = columns < lengths[:, None]  # (B, L)
        padded = np.zeros(is_token.shape, np.int32)
        padded[is_token] = self.ids[(starts[:, None] + columns)[is_token]]
        return padded
