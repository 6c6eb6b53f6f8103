"""The vocabulary of a run and the matrix of vectors aligned with its ids."""

import itertools

import numpy as np

from dsa.data.words.vector_files import read_vectors
from dsa.data.words.vocabulary import FIRST_WORD, PADDING, UNKNOWN, Vocabulary

RANDOM_RANGE = 0.05  # unknown words: uniform in [-0.05, 0.05]


def case_forms(word):
    """The forms under which a word is looked up, in this order: exact, lower-cased,
    capitalised."""
    return dict.fromkeys([word, word.lower(), word.capitalize()])


def find_vectors(words, path, units, frequent=0):
    """Vectors of words, by their case forms, and of the file's most frequent words.

    Returns: two dictionaries of word to array `(units,)`: of `words`, as far as the
        file has them; and of the first `frequent` words of the file.
    """
    forms = {form for word in words for form in case_forms(word)}
    vectors = read_vectors(path, units, forms, frequent)
    found = {}
    for word in words:
        for form in case_forms(word):
            if form in vectors:
                found[word] = vectors[form]
                break
    return found, dict(itertools.islice(vectors.items(), frequent))


def build_embedding(config, train_words, dev_words, path, lowercase, seed):
    """Vocabulary and vectors of a run.

    Frozen vectors: the words of train and dev that the file has, and its
    `frequent_words` most frequent ones; every other word is the unknown word. Trained
    vectors: the words of train, each with a row of its own, random where the file lacks
    it; with `outside: frozen`, behind them dev's and frequent words that the file has.
    The row of padding is 0, the unknown word's is random, or 0 with `outside: frozen`.

    Args:
        config: the `EmbeddingConfig`.
        train_words, dev_words: the distinct words, most frequent first.
        path: the vector file; `None` for random vectors.
        lowercase: whether the tokenizer lower-cases.
        seed: of the random vectors.

    Returns: a `Vocabulary`, a float32 array `(len(vocabulary), units)`, and how many
        rows at its end are frozen though the others are trained.
    """
    found, top, own, outside = {}, {}, [], []
    if path:
        asked = train_words
        if config.can_look_up:
            asked = list(dict.fromkeys([*train_words, *dev_words]))
        frequent = config.frequent_words if config.can_look_up else 0
        found, top = find_vectors(asked, path, config.units, frequent)
        if lowercase:  # a word with capitals would never be asked for
            top = {word: top[word] for word in top if word == word.lower()}
        outside = list(dict.fromkeys([*found, *top]))
    if config.trainable:
        own = train_words
        known = set(own)
        outside = [word for word in outside if word not in known]
    words = [*own, *outside]
    vectors = np.random.default_rng(seed).uniform(
        -RANDOM_RANGE, RANDOM_RANGE, (len(words) + FIRST_WORD, config.units)
    )
    vectors[PADDING] = 0
    if config.outside == "frozen":
        vectors[UNKNOWN] = 0
    for row, word in enumerate(words, start=FIRST_WORD):
        if word in found or word in top:
            vectors[row] = found.get(word, top.get(word))
    frozen = len(outside) if config.trainable else 0
    return Vocabulary(words), vectors.astype(np.float32), frozen
