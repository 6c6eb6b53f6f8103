"""The vocabulary of a run and the matrix of vectors aligned with its ids."""

import dataclasses
import itertools
import logging
from pathlib import Path

import numpy as np

from dsa.data.words.vocabulary import FIRST_WORD, PADDING, UNKNOWN, Vocabulary

LEAST_KNOWN = 0.1  # share of a corpus's words below which the file is a wrong one
FIRST_WORDS = 10_000  # of a file, to tell what is wrong

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class EmbeddingSettings:
    """Which words a run has, and where their vectors come from.

    With `frozen_outside` words outside train have the file's vectors, which training
    does not change; else they are the unknown word.
    """

    units: int  # features of a vector
    path: Path | None = None  # the vector file; `None` for random vectors
    trainable: bool = False  # whether training changes the vectors
    frozen_outside: bool = False
    frequent_words: int = 0  # words of the file's top that the vocabulary has too
    lowercase: bool = False  # whether the tokenizer lower-cases
    exact: bool = False  # whether a word is looked up only as it is written
    random: str = "uniform"  # or `normal`: the vectors that the file lacks
    random_scale: float = 0.05  # half the width of the former, the latter's deviation

    @property
    def has_words_outside_train(self):
        return not self.trainable or self.frozen_outside

    def draw(self, rows, seed):
        """Random vectors, float64 `(rows, units)`."""
        generator, size = np.random.default_rng(seed), (rows, self.units)
        if self.random == "normal":
            return generator.normal(0, self.random_scale, size)
        return generator.uniform(-self.random_scale, self.random_scale, size)


def list_case_variants(word, exact=False):
    """The forms under which a word is looked up, in this order: as it is written,
    lower-cased, capitalised; the first only with `exact`."""
    return [word] if exact else dict.fromkeys([word, word.lower(), word.capitalize()])


def look_up_vectors(words, path, units, frequent=0, exact=False):
    """Vectors of words, by their case forms, and of the file's first `frequent` words:
    two dictionaries of word to array `(units,)`."""
    from dsa.data.words.vector_files import read_vectors

    forms = {form for word in words for form in list_case_variants(word, exact)}
    vectors = read_vectors(path, units, forms, frequent)
    vectors_of_words = {}
    for word in words:
        for form in list_case_variants(word, exact):
            if form in vectors:
                vectors_of_words[word] = vectors[form]
                break
    return vectors_of_words, dict(itertools.islice(vectors.items(), frequent))


def build_embedding(settings, train_words, dev_words, seed, special_words=()):
    """Vocabulary and vectors of a run.

    Frozen vectors: the words of train and dev that the file has, and its most frequent
    words; every other word is the unknown word. Trained vectors: the words of train,
    each with a row of its own, random if the file lacks it; with `frozen_outside`,
    after them the words of dev and the frequent words that the file has. The row of
    padding is 0, the row of the unknown word is random, or 0 with `frozen_outside`.

    Args:
        train_words, dev_words: the distinct words, most frequent first.
        special_words: words that always have a row, random if the file lacks them.

    Returns: a `Vocabulary`, a float32 array `(len(vocabulary), units)`, and how many
        rows at its end are frozen though the others are trained.
    """
    known = _read_known_vectors(settings, train_words, dev_words)
    own_rows = [*special_words, *(train_words if settings.trainable else [])]
    words = list(dict.fromkeys([*own_rows, *known]))
    outside = len(words) - len(set(own_rows))
    vectors = settings.draw(len(words) + FIRST_WORD, seed)
    vectors[PADDING] = 0
    if settings.frozen_outside:
        vectors[UNKNOWN] = 0
    for row, word in enumerate(words, start=FIRST_WORD):
        if word in known:
            vectors[row] = known[word]
    frozen = outside if settings.trainable else 0
    return Vocabulary(words), vectors.astype(np.float32), frozen


def _read_known_vectors(settings, train_words, dev_words):
    """`{word: vector}` of the words that the file has, the corpus's words first."""
    if not settings.path:
        return {}
    words, frequent = train_words, 0
    if settings.has_words_outside_train:
        words = list(dict.fromkeys([*train_words, *dev_words]))
        frequent = settings.frequent_words
    known, top = look_up_vectors(
        words, settings.path, settings.units, frequent, settings.exact
    )
    if len(known) < LEAST_KNOWN * len(words):
        _warn_of_wrong_file(settings, words, len(known))
    if settings.lowercase:  # a word with capitals would never be looked up
        top = {word: top[word] for word in top if word == word.lower()}
    return known | {word: top[word] for word in top if word not in known}


def _warn_of_wrong_file(settings, words, known):
    from dsa.data.words.vector_files import read_first_words

    first = read_first_words(settings.path, settings.units, FIRST_WORDS)
    first = {word.casefold() for word in first}
    cause = "the file seems to be of another language"
    if sum(word.casefold() in first for word in words) > known:
        cause = "the words of the file are in another case ('tokenizer.lowercase')"
    log.warning(
        "%s: has only %d of the %d words of the corpus: %s",
        settings.path.name,
        known,
        len(words),
        cause,
    )
