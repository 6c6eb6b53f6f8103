"""Maps words to ids."""

import numpy as np

from dsa.data.prepared.sentences import Sentences

PADDING, UNKNOWN, FIRST_WORD = 0, 1, 2


class Vocabulary:
    """Maps words to ids. 0 is padding, 1 is the unknown word; words start at 2.

    Args:
        words: distinct words in the order of their ids.
    """

    def __init__(self, words):
        self.words = list(words)
        self._ids = {word: id for id, word in enumerate(self.words, start=FIRST_WORD)}
        if len(self._ids) != len(self.words):
            raise ValueError("The words of a vocabulary must be distinct.")

    def __len__(self):
        """Returns the number of ids, including padding and the unknown word."""
        return len(self.words) + FIRST_WORD

    def __contains__(self, word):
        return word in self._ids

    def ids(self, words):
        """Returns the ids of words, int32 `(len(words),)`."""
        return np.fromiter(
            (self._ids.get(word, UNKNOWN) for word in words), np.int32, len(words)
        )

    def list_unknown(self, words):
        """Returns a list of the distinct words that are not in the vocabulary."""
        return [word for word in dict.fromkeys(words) if word not in self._ids]

    def sentences(self, prepared):
        """Returns the `Sentences` of a `PreparedCorpus` as ids of the vocabulary."""
        ids = np.append(self.ids(prepared.words), UNKNOWN).astype(np.int32)
        return Sentences(ids[prepared.sentences.ids], prepared.sentences.offsets)

    def coverage(self, prepared):
        """Counts the unknown words in a `PreparedCorpus`.

        Returns: a dictionary with the number of distinct words, the number of tokens,
            the numbers of unknown words and tokens, and their shares as fractions.
        """
        counts = prepared.word_counts()
        unknown = self.ids(prepared.words) == UNKNOWN
        tokens, words = int(counts.sum()), len(counts)
        unknown_tokens = int(counts[unknown].sum())
        return {
            "words": words,
            "unknown_words": int(unknown.sum()),
            "unknown_word_share": round(float(unknown.mean()), 6) if words else 0.0,
            "tokens": tokens,
            "unknown_tokens": unknown_tokens,
            "unknown_token_share": round(unknown_tokens / max(tokens, 1), 6),
        }

    def to_text(self):
        """Returns the words as text, one per line, without padding and the unknown
        word."""
        return "".join(f"{word}\n" for word in self.words)

    @classmethod
    def from_text(cls, text):
        """Returns the vocabulary of a text returned by `to_text`.

        Lines end with `\\n` or, if Git has converted the text, with `\\r\\n`. Other
        characters do not end a line, because words can contain U+0085.
        """
        if text.count("\r\n") == text.count("\n"):
            text = text.replace("\r\n", "\n")
        return cls(text.split("\n")[:-1])
