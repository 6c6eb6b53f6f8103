"""Counts of n-grams: of a sentence, of all training sentences, and those that two
sentences share (ROUGE)."""

import itertools
from collections import Counter

import numpy as np

from dsa.data.pair_features.pair import Knowledge, Pair

NIST_ORDER = 5
SKIP = 4  # at most so many tokens between the two of a skip bigram


def count_ngrams(tokens: list[str], order: int) -> Counter:
    """How often each n-gram of `order` tokens occurs."""
    return Counter(list_ngrams(tokens, order))


def list_ngrams(tokens: list[str], order: int) -> list[tuple]:
    """The n-grams of a sentence from left to right, tuples."""
    return list(zip(*(tokens[start:] for start in range(order)), strict=False))


def compare_counts(first: Counter, second: Counter) -> float:
    """F1 of two `Counter`s: twice what they share over what both have; 0 for none."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def compute_rouge(pair: Pair, knowledge: Knowledge) -> list[float]:
    """F1 of ROUGE-1, ROUGE-2 and ROUGE-SU4.

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
    """The tokens, and the ordered pairs of tokens with at most four between them."""
    pairs = [
        (token, later)
        for start, token in enumerate(tokens)
        for later in tokens[start + 1 : start + SKIP + 2]
    ]
    return Counter(pairs) + count_ngrams(tokens, 1)


class NgramCounts:
    """How often the n-grams of up to five tokens occur in training sentences.

    It keeps the sentences as numbers and counts again when it is made from them, which
    is faster than reading all counts from a file.

    Args:
        words: the distinct tokens, a list.
        ids: int32, the tokens of all sentences as positions in `words`.
        lengths: int64, the tokens of each sentence.
    """

    def __init__(self, words: list[str], ids: np.ndarray, lengths: np.ndarray):
        self.words, self.ids, self.lengths = words, ids, lengths
        self._number = {word: number for number, word in enumerate(words)}
        self._tables = _count_tables(ids, lengths, len(words))

    @classmethod
    def learn(cls, sentences):
        """Count the n-grams of sentences, lists of tokens."""
        number = {}
        ids = [
            number.setdefault(token, len(number))
            for token in itertools.chain.from_iterable(sentences)
        ]
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        return cls(list(number), np.array(ids, np.int32), lengths)

    @property
    def tokens(self):
        """Tokens of all training sentences."""
        return len(self.ids)

    def look_up(self, tokens):
        """How often the n-grams of a sentence of L tokens occur in training: for each
        order n from 1 to 5 an int64 array `(max(L - n + 1, 0),)`, the count of the
        n-gram that starts at each token."""
        last = np.array([self._number.get(token, -1) for token in tokens], np.int64)
        number, counts = last, []
        for order, (codes, table) in enumerate(self._tables, start=1):
            if order > 1:
                code = _join(number[:-1], last[order - 1 :], len(self.words))
                number = _find(codes, code)
            counts.append(np.where(number >= 0, np.append(table, 0)[number], 0))
        return counts


def _count_tables(ids, lengths, size):
    """For each order the sorted codes of its n-grams and how often each occurs. A code
    joins the position of the first n - 1 tokens in the table before and the last token.
    """
    ends = np.repeat(np.cumsum(lengths), lengths)
    left = ends - np.arange(len(ids))  # tokens from here to the sentence's end
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
    """Codes of n-grams; -1 where the beginning or the last token is unknown."""
    return np.where((beginning >= 0) & (last >= 0), beginning * size + last, -1)


def _find(codes, code):
    """Positions of values in a sorted array, -1 for those that it lacks."""
    position = np.searchsorted(codes, code)
    known = np.append(codes, -2)[position] == code
    return np.where(known, position, -1)
