"""In how many training sentences a word occurs."""

import collections
import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class DocumentFrequency:
    """How many of `documents` sentences have a word; `counts` by word."""

    documents: int
    counts: dict

    @classmethod
    def learn(cls, sentences):
        """Count the sentences of each word."""
        counts = collections.Counter(
            word for sentence in sentences for word in dict.fromkeys(sentence)
        )
        return cls(len(sentences), dict(counts))

    def inverse(self, word, form):
        """The inverse document frequency of a word.

        Args:
            word: a token.
            form: "log" for `ln((1 + N) / (1 + df))`, "inverse" for `1 / df`. A word
                that no training sentence has counts as if one had it in the second.
        """
        count = self.counts.get(word, 0)
        if form == "log":
            return math.log((1 + self.documents) / (1 + count))
        return 1 / max(count, 1)
