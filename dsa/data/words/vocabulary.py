"""Vocabulary of a model."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.data.prepared.sentences import Sentences

if TYPE_CHECKING:
    from dsa.data.prepared.corpus import PreparedCorpus

PADDING, UNKNOWN, FIRST_WORD = 0, 1, 2


class Vocabulary:
    """Mapping of words to ids. 0 is padding, 1 the unknown word, 2 the first word.

    Args:
        words: distinct words in the order of their ids.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = list(words)
        self._ids = {word: id for id, word in enumerate(self.words, start=FIRST_WORD)}
        if len(self._ids) != len(self.words):
            raise ValueError("The words of a vocabulary must be distinct.")

    def __len__(self) -> int:
        """Returns the number of ids, including padding and the unknown word."""
        return len(self.words) + FIRST_WORD

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def ids(self, words: Collection[str]) -> np.ndarray:
        """Returns the ids of words, int32 `(len(words),)`."""
        return np.fromiter(
            (self._ids.get(word, UNKNOWN) for word in words), np.int32, len(words)
        )

    def list_unknown(self, words: Iterable[str]) -> list[str]:
        """Returns the distinct words that are not in the vocabulary."""
        return [word for word in dict.fromkeys(words) if word not in self._ids]

    def sentences(self, prepared: "PreparedCorpus") -> Sentences:
        """Returns the sentences of a corpus as ids of the vocabulary."""
        ids = np.append(self.ids(prepared.words), UNKNOWN).astype(np.int32)
        return Sentences(ids[prepared.sentences.ids], prepared.sentences.offsets)

    def count_unknown(self, prepared: "PreparedCorpus") -> dict[str, Any]:
        """Counts the unknown words and tokens of a corpus.

        Returns: a dictionary with the number of distinct words, the number of tokens,
            the numbers of unknown words and tokens, and their shares as fractions.
        """
        counts = prepared.word_counts()
        is_unknown = self.ids(prepared.words) == UNKNOWN
        num_words = len(counts)
        num_tokens = int(counts.sum())
        num_unknown_words = int(is_unknown.sum())
        num_unknown_tokens = int(counts[is_unknown].sum())
        word_share = float(is_unknown.mean()) if num_words else 0.0
        return {
            "words": num_words,
            "unknown_words": num_unknown_words,
            "unknown_word_share": round(word_share, 6),
            "tokens": num_tokens,
            "unknown_tokens": num_unknown_tokens,
            "unknown_token_share": round(num_unknown_tokens / max(num_tokens, 1), 6),
        }

    def to_text(self) -> str:
        """Returns the words as text, one per line, without padding and the unknown
        word."""
        return "".join(f"{word}\n" for word in self.words)

    @classmethod
    def from_text(cls, text: str) -> "Vocabulary":
        """Creates a vocabulary from a text of `to_text`.

        Lines end with `\\n` or, if Git has converted the text, with `\\r\\n`. Other
        characters do not end a line, because words can contain U+0085.

        Raises: `ValueError` if the words are not distinct.
        """
        if text.count("\r\n") == text.count("\n"):
            text = text.replace("\r\n", "\n")
        return cls(text.split("\n")[:-1])
