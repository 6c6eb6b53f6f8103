"""Rows that two corpora have both: what was learned and is measured all the same."""

import logging
from typing import NamedTuple

import numpy as np

MOST_SHARED = 0.05  # more of a file's rows in train are worth a warning

log = logging.getLogger(__name__)


class SharedRows(NamedTuple):
    """What two corpora have in common.

    Attributes:
        share: of the labelled rows of the second one whose texts are those of a
            labelled row of the first one.
        identical: whether both have the same rows, each as often, in any order.
    """

    share: float
    identical: bool

    def warn(self, name):
        """Log that a file shares much with train; `name` is what it is called."""
        if self.share > MOST_SHARED:
            log.warning(
                "%s: %.1f %% of its rows are in train too, its numbers can be too good",
                name,
                100 * self.share,
            )


def compare_rows(first, second):
    """The `SharedRows` of two `PreparedCorpus`es, by their tokens.

    Rows are compared by 64-bit keys, so that a million of them takes a second.
    """
    numbers = {word: number for number, word in enumerate(first.words)}
    table = [numbers.setdefault(word, len(numbers)) for word in second.words]
    random = np.random.default_rng(0)
    word_keys = _draw_keys(random, len(numbers) + 1)  # the last: the unknown token
    longest = max(c.sentences.lengths.max(initial=0) for c in (first, second))
    keys = (_draw_keys(random, longest), _draw_keys(random, second.texts.shape[1]))
    ours = _key_rows(first, word_keys[np.r_[: len(first.words), -1]], *keys)
    theirs = _key_rows(second, word_keys[np.array([*table, -1])], *keys)
    return SharedRows(
        share=float(np.isin(theirs, ours).mean()) if len(theirs) else 0.0,
        identical=np.array_equal(np.sort(ours), np.sort(theirs)),
    )


def _draw_keys(random, count):
    """Odd numbers, `(count,)`: a product with one of them loses nothing."""
    return random.integers(2**64, size=count, dtype=np.uint64) | np.uint64(1)


def _key_rows(corpus, word_keys, place_keys, text_keys):
    """A number for each labelled row, the same for the same texts."""
    sentences = corpus.sentences
    if not len(sentences):
        return np.empty(0, np.uint64)
    starts = np.repeat(sentences.offsets[:-1], sentences.lengths)
    places = place_keys[np.arange(len(sentences.ids)) - starts]
    products = word_keys[sentences.ids] * places  # modulo 2^64
    keys = np.add.reduceat(products, sentences.offsets[:-1])
    return (keys[corpus.texts[corpus.labelled]] * text_keys).sum(axis=1)
