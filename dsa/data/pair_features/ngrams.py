"""N-gram counts of sentences and training data, and ROUGE."""

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dsa.data.pair_features.pair import Knowledge, Pair

NIST_ORDER = 5
MAX_SKIP = 4  # maximum number of tokens between the two tokens of a skip bigram


def count_ngrams(tokens: list[str], order: int) -> Counter:
    """Returns the counts of the n-grams with `order` tokens."""
    return Counter(list_ngrams(tokens, order))


def list_ngrams(tokens: list[str], order: int) -> list[tuple]:
    """Returns the n-grams of a sentence from left to right, as tuples."""
    return list(zip(*(tokens[start:] for start in range(order)), strict=False))


def compare_counts(first: Counter, second: Counter) -> float:
    """Returns the F1 score of two multisets of n-grams, or 0 if both are empty."""
    total = first.total() + second.total()
    if total == 0:
        return 0.0
    return 2 * (first & second).total() / total


def compute_rouge(pair: Pair, knowledge: Knowledge) -> list[float]:
    """Returns the F1 scores of ROUGE-1, ROUGE-2 and ROUGE-SU4.

    Reference: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries",
        sections 2, 4 and 5.
    """
    first, second = pair.first, pair.second
    return [
        compare_counts(count_ngrams(first, 1), count_ngrams(second, 1)),
        compare_counts(count_ngrams(first, 2), count_ngrams(second, 2)),
        compare_counts(count_skip_bigrams(first), count_skip_bigrams(second)),
    ]


def count_skip_bigrams(tokens: list[str]) -> Counter:
    """Returns the counts of the tokens, and of the ordered pairs of tokens with at most
    four tokens in between."""
    pairs = [
        (token, later)
        for start, token in enumerate(tokens)
        for later in tokens[start + 1 : start + MAX_SKIP + 2]
    ]
    return Counter(pairs) + count_ngrams(tokens, 1)


class NgramCounts:
    """Counts of the n-grams of up to five tokens in training sentences.

    A run saves the sentences, because counting their n-grams is faster than reading the
    counts from a file.

    Args:
        words: the distinct tokens.
        ids: tokens of all sentences as indices into `words`, int32 `(tokens,)`.
        lengths: number of tokens of each sentence, int64 `(sentences,)`.
    """

    def __init__(self, words: list[str], ids: np.ndarray, lengths: np.ndarray):
        self.words = words
        self.ids = ids
        self.lengths = lengths
        self._index = {word: index for index, word in enumerate(words)}
        self._tables = _count_tables(ids, lengths, len(words))

    @classmethod
    def fit(cls, sentences: Sequence[Sequence[str]]) -> "NgramCounts":
        """Counts the n-grams of tokenized sentences."""
        index: dict[str, int] = {}
        ids = [
            index.setdefault(token, len(index))
            for token in itertools.chain.from_iterable(sentences)
        ]
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        return cls(list(index), np.array(ids, np.int32), lengths)

    @property
    def tokens(self) -> int:
        """Number of tokens of all training sentences."""
        return len(self.ids)

    def look_up(self, tokens: Sequence[str]) -> list[np.ndarray]:
        """Returns the training counts of the n-grams of a sentence with L tokens.

        Returns: a list with an int64 array `(max(L - n + 1, 0),)` for each order n from
            1 to 5: the count of the n-gram that starts at each token.
        """
        ids = np.array([self._index.get(token, -1) for token in tokens], np.int64)
        rows = ids  # row of each n-gram in the table of its order; -1 if unknown
        counts = []
        for order, (codes, table) in enumerate(self._tables, start=1):
            if order > 1:
                last = ids[order - 1 :]
                rows = _find_positions(
                    codes, _encode_ngrams(rows[:-1], last, len(self.words))
                )
            counts.append(np.where(rows >= 0, np.append(table, 0)[rows], 0))
        return counts


def _count_tables(ids, lengths, size):
    """Returns the sorted codes and the counts of the n-grams of each order.

    A code combines the row of the first n - 1 tokens in the table of order n - 1 with
    the last token.
    """
    ends = np.repeat(np.cumsum(lengths), lengths)
    remaining = ends - np.arange(len(ids))  # tokens up to the end of the sentence
    rows = ids.astype(np.int64)
    tables = [(np.arange(size), np.bincount(rows, minlength=size))]
    for order in range(2, NIST_ORDER + 1):
        starts = np.flatnonzero(remaining >= order)
        last = ids[starts + order - 1].astype(np.int64)
        code = _encode_ngrams(rows[starts], last, size)
        rows = np.full(len(ids), -1)
        codes, rows[starts], counts = np.unique(
            code, return_inverse=True, return_counts=True
        )
        tables.append((codes, counts))
    return tables


def _encode_ngrams(prefix, last, size):
    """Returns the codes of n-grams.

    Args:
        prefix: row of the first n - 1 tokens of each n-gram; -1 if unknown.
        last: id of the last token of each n-gram; -1 if unknown.
        size: number of distinct tokens.

    Returns: int array; -1 if the prefix or the last token is unknown.
    """
    return np.where((prefix >= 0) & (last >= 0), prefix * size + last, -1)


def _find_positions(codes, values):
    """Returns the position of each value in the sorted array `codes`; -1 if it is
    missing."""
    positions = np.searchsorted(codes, values)
    is_present = np.append(codes, -2)[positions] == values
    return np.where(is_present, positions, -1)
