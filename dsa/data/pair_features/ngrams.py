"""N-gram counts of sentences and of the training rows, and ROUGE."""

import itertools
from collections import Counter

import numpy as np

from dsa.data.pair_features.pair import Knowledge, Pair

NIST_ORDER = 5
SKIP = 4  # maximum number of tokens between the two tokens of a skip bigram


def count_ngrams(tokens: list[str], order: int) -> Counter:
    """Returns the counts of the n-grams with `order` tokens."""
    return Counter(list_ngrams(tokens, order))


def list_ngrams(tokens: list[str], order: int) -> list[tuple]:
    """Returns the n-grams of a sentence from left to right, as tuples."""
    return list(zip(*(tokens[start:] for start in range(order)), strict=False))


def compare_counts(first: Counter, second: Counter) -> float:
    """Returns the F1 score of two `Counter`s; 0 if both are empty."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def compute_rouge(pair: Pair, knowledge: Knowledge) -> list[float]:
    """Returns the F1 scores of ROUGE-1, ROUGE-2 and ROUGE-SU4.

    Reference: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries",
        sections 2, 4 and 5.
    """
    counters = (
        lambda tokens: count_ngrams(tokens, 1),
        lambda tokens: count_ngrams(tokens, 2),
        count_skip_bigrams,
    )
    return [compare_counts(count(pair.first), count(pair.second)) for count in counters]


def count_skip_bigrams(tokens: list[str]) -> Counter:
    """Returns the counts of the tokens and of the ordered pairs of tokens with at most
    four tokens in between."""
    pairs = [
        (token, later)
        for start, token in enumerate(tokens)
        for later in tokens[start + 1 : start + SKIP + 2]
    ]
    return Counter(pairs) + count_ngrams(tokens, 1)


class NgramCounts:
    """Counts of the n-grams of up to five tokens in training sentences.

    The counts are computed from the sentences, which is faster than reading them from a
    file.

    Args:
        words: list of distinct tokens.
        ids: int32, the tokens of all sentences as positions in `words`.
        lengths: int64, number of tokens of each sentence.
    """

    def __init__(self, words: list[str], ids: np.ndarray, lengths: np.ndarray):
        self.words, self.ids, self.lengths = words, ids, lengths
        self._number = {word: number for number, word in enumerate(words)}
        self._tables = _count_tables(ids, lengths, len(words))

    @classmethod
    def learn(cls, sentences):
        """Counts the n-grams of tokenized sentences."""
        number = {}
        ids = [
            number.setdefault(token, len(number))
            for token in itertools.chain.from_iterable(sentences)
        ]
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        return cls(list(number), np.array(ids, np.int32), lengths)

    @property
    def tokens(self):
        """Number of tokens of all training sentences."""
        return len(self.ids)

    def look_up(self, tokens):
        """Returns the training counts of the n-grams of a sentence with L tokens: for
        each order n from 1 to 5 an int64 array `(max(L - n + 1, 0),)` with the count of
        the n-gram that starts at each token."""
        last = np.array([self._number.get(token, -1) for token in tokens], np.int64)
        number, counts = last, []
        for order, (codes, table) in enumerate(self._tables, start=1):
            if order > 1:
                code = _join(number[:-1], last[order - 1 :], len(self.words))
                number = _find(codes, code)
            counts.append(np.where(number >= 0, np.append(table, 0)[number], 0))
        return counts


def _count_tables(ids, lengths, size):
    """Returns the sorted codes and the counts of the n-grams of each order. A code
    combines the position of the first n - 1 tokens in the previous table with the last
    token."""
    ends = np.repeat(np.cumsum(lengths), lengths)
    left = ends - np.arange(len(ids))  # number of tokens to the end of the sentence
    number = ids.astype(np.int64)
    tables = [(np.arange(size), np.bincount(number, minlength=size))]
    for order in range(2, NIST_ORDER + 1):
        starts = np.flatnonzero(left >= order)
        code = _join(number[starts], ids[starts + order - 1].astype(np.int64), size)
        number = np.full(len(ids), -1)
        codes, number[starts], counts = np.unique(
            code, return_inverse=True, return_counts=True
        )
        tables.append((codes, counts))
    return tables


def _join(beginning, last, size):
    """Returns codes of n-grams; -1 if the beginning or the last token is unknown."""
    return np.where((beginning >= 0) & (last >= 0), beginning * size + last, -1)


def _find(codes, code):
    """Returns the positions of values in a sorted array; -1 for missing values."""
    position = np.searchsorted(codes, code)
    known = np.append(codes, -2)[position] == code
    return np.where(known, position, -1)
