"""Selects, joins and compares the rows of prepared corpora."""

import dataclasses
import hashlib
import logging
from typing import NamedTuple

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus, sort_words_by_frequency
from dsa.data.prepared.sentences import Sentences

MAX_SHARED = 0.05  # a warning is logged if train contains a larger share of the rows

log = logging.getLogger(__name__)


def sample(prepared: PreparedCorpus, share: float, seed: int) -> PreparedCorpus:
    """Returns a random sample of the labelled rows, in file order.

    Args:
        prepared: the corpus.
        share: share of the rows, in (0, 1]. At least one row is selected if the corpus
            has labelled rows.
        seed: seed of the sample.
    """
    labelled = prepared.labelled
    count = min(len(labelled), max(1, round(share * len(labelled))))
    random = np.random.default_rng(seed)
    rows = np.sort(random.choice(labelled, count, replace=False))
    return take_rows(prepared, rows)


def sample_nested(prepared: PreparedCorpus, count: int, seed: int) -> PreparedCorpus:
    """Returns a random sample of the labelled rows, in file order.

    A sample with the same seed and a larger count contains all rows of this one.

    Args:
        prepared: the corpus.
        count: number of rows, at most the number of labelled rows.
        seed: seed of the sample.
    """
    order = np.random.default_rng(seed).permutation(prepared.labelled)
    return take_rows(prepared, np.sort(order[:count]))


def add_swapped_pairs(prepared: PreparedCorpus) -> PreparedCorpus:
    """Returns all pairs, followed by all pairs with their sentences swapped.

    Reference: Yin et al. 2016, section 5.2.
    """
    return dataclasses.replace(
        prepared,
        sentence_indices=np.concatenate(
            [prepared.sentence_indices, prepared.sentence_indices[:, ::-1]]
        ),
        labels=np.concatenate([prepared.labels, prepared.labels]),
        ids=[*prepared.ids, *prepared.ids],
        groups=[*prepared.groups, *prepared.groups],
    )


def concatenate(first: PreparedCorpus, second: PreparedCorpus) -> PreparedCorpus:
    """Concatenates the rows of two corpora.

    The result has the fingerprint of the first corpus. Each word is stored once. A
    sentence that occurs in both corpora is stored twice.
    """
    words = list(dict.fromkeys([*first.words, *second.words]))
    index = {word: position for position, word in enumerate(words)}
    # the last entry maps the unknown token, -1, to itself
    new_index = np.array([*(index[word] for word in second.words), -1], np.int32)
    ids = new_index[second.sentences.ids]
    shift = len(first.sentences)
    return sort_words_by_frequency(
        dataclasses.replace(
            first,
            words=words,
            sentences=first.sentences.join(Sentences(ids, second.sentences.offsets)),
            sentence_indices=np.concatenate(
                [first.sentence_indices, second.sentence_indices + shift]
            ),
            labels=np.concatenate([first.labels, second.labels]),
            ids=[*first.ids, *second.ids],
            groups=[*first.groups, *second.groups],
            empty=first.empty + second.empty,
        )
    )


def take_rows(prepared: PreparedCorpus, rows: np.ndarray) -> PreparedCorpus:
    """Returns a corpus with the rows at the given positions.

    Words and sentences that do not occur in these rows are removed. The fingerprint is
    unchanged.
    """
    used, sentence_indices = np.unique(
        prepared.sentence_indices[rows], return_inverse=True
    )
    sentences = prepared.sentences.select(used)
    words, ids = np.unique(sentences.ids, return_inverse=True)
    if len(words) and words[0] == -1:  # the unknown token is not a word
        words, ids = words[1:], ids - 1
    return sort_words_by_frequency(
        dataclasses.replace(
            prepared,
            words=[prepared.words[word] for word in words],
            sentences=Sentences(ids.astype(np.int32), sentences.offsets),
            sentence_indices=sentence_indices.reshape(len(rows), -1).astype(np.int32),
            labels=prepared.labels[rows],
            ids=[prepared.ids[row] for row in rows],
            groups=[prepared.groups[row] for row in rows],
            empty=int((ids == -1).sum()),
        )
    )


class SharedRows(NamedTuple):
    """Overlap of the labelled rows of two corpora.

    Attributes:
        share: share of the rows of the second corpus that have the texts of a row of
            the first corpus.
        identical: whether both corpora contain the same rows, in any order.
    """

    share: float
    identical: bool

    def warn(self, name: str) -> None:
        """Logs a warning if the first corpus, train, contains many of the rows.

        Args:
            name: name of the second corpus in the warning.
        """
        if self.share > MAX_SHARED:
            log.warning(
                "%s: %.1f %% of the rows are also in train; metrics may be too high",
                name,
                100 * self.share,
            )


def compare_rows(first: PreparedCorpus, second: PreparedCorpus) -> SharedRows:
    """Returns the `SharedRows` of two corpora, compared by the tokens of the rows."""
    return compare_row_keys(compute_row_keys(first), compute_row_keys(second))


def compare_row_keys(first: np.ndarray, second: np.ndarray) -> SharedRows:
    """Returns the `SharedRows` of two corpora, compared by the keys of the rows."""
    return SharedRows(
        share=float(np.isin(second, first).mean()) if len(second) else 0.0,
        identical=np.array_equal(np.sort(first), np.sort(second)),
    )


def compute_row_keys(corpus: PreparedCorpus) -> np.ndarray:
    """Returns a 64-bit key for each labelled row, uint64 `(N,)`.

    Rows with the same tokens have the same key in every corpus and process.
    """
    sentences = corpus.sentences
    # the last key is the key of the unknown token, -1
    word_keys = np.array([*map(_hash_word, corpus.words), _hash_word(None)], np.uint64)
    position_keys = _draw_keys(0, sentences.lengths.max(initial=0))
    text_keys = _draw_keys(1, corpus.sentence_indices.shape[1])
    if not len(sentences):
        return np.empty(0, np.uint64)
    starts = np.repeat(sentences.offsets[:-1], sentences.lengths)
    positions = np.arange(len(sentences.ids)) - starts
    products = word_keys[sentences.ids] * position_keys[positions]  # modulo 2^64
    sentence_keys = np.add.reduceat(products, sentences.offsets[:-1])
    return (sentence_keys[corpus.sentence_indices[corpus.labelled]] * text_keys).sum(
        axis=1
    )


def _hash_word(word):
    """Returns the key of a word. The unknown token is represented by `None`."""
    text = b"" if word is None else b"w" + word.encode(errors="surrogatepass")
    digest = hashlib.blake2b(text, digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1


def _draw_keys(seed, count):
    """Returns random odd numbers, `(count,)`. Multiplication by an odd number is
    invertible modulo 2^64."""
    random = np.random.default_rng(seed)
    return random.integers(2**64, size=count, dtype=np.uint64) | np.uint64(1)
