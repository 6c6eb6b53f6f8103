"""Builds the vocabulary and the embedding matrix of a run."""

import dataclasses
import logging
from collections.abc import Sequence

import numpy as np

from dsa.data.words.vector_reader import VectorReader
from dsa.data.words.vocabulary import FIRST_WORD, PADDING, UNKNOWN, Vocabulary

# a warning is logged if the file contains a smaller share of the words
MIN_KNOWN_SHARE = 0.1
NUM_FIRST_WORDS = 10_000  # number of words of the file to read for this warning
# a warning is logged if the vectors of known words differ from the file
NUM_COMPARED = 1_000  # number of words
MIN_COSINE = 0.5  # median over these words

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class EmbeddingSettings:
    """Settings of the vocabulary and the word vectors.

    Args:
        units: dimension of the vectors.
        trainable: whether the vectors are trained.
        frozen_outside: for trained vectors, whether words that do not occur in train
            have frozen vectors from the file. Otherwise, these words are unknown.
        frequent_words: number of words from the beginning of the file to add to the
            vocabulary.
        lowercase: whether the tokenizer lower-cases words.
        random: distribution of random vectors, "uniform" or "normal".
        random_scale: half-width of the uniform distribution, or standard deviation of
            the normal distribution.
    """

    units: int
    trainable: bool = False
    frozen_outside: bool = False
    frequent_words: int = 0
    lowercase: bool = False
    random: str = "uniform"
    random_scale: float = 0.05

    @property
    def has_words_outside_train(self) -> bool:
        """Whether the vocabulary contains words that do not occur in train."""
        return not self.trainable or self.frozen_outside

    def draw_vectors(self, count: int, seed: int) -> np.ndarray:
        """Returns random vectors, float64 `(count, units)`."""
        generator = np.random.default_rng(seed)
        size = (count, self.units)
        if self.random == "normal":
            return generator.normal(0, self.random_scale, size)
        return generator.uniform(-self.random_scale, self.random_scale, size)


@dataclasses.dataclass(frozen=True)
class KnownWords:
    """Vocabulary and word vectors of a trained run.

    Args:
        vocabulary: the `Vocabulary`.
        vectors: float32 `(len(vocabulary), units)`.
        frozen_rows: number of frozen rows at the end of `vectors`.
    """

    vocabulary: Vocabulary
    vectors: np.ndarray
    frozen_rows: int = 0


def build_embedding(  # noqa: PLR0913
    settings: EmbeddingSettings,
    vector_reader: VectorReader | None,
    train_words: Sequence[str],
    dev_words: Sequence[str],
    seed: int,
    special_words: Sequence[str] = (),
) -> tuple[Vocabulary, np.ndarray, int]:
    """Builds the vocabulary and the embedding matrix of a run.

    With frozen vectors, the vocabulary contains the words of train and dev that are in
    the file, and the first `frequent_words` words of the file. With trained vectors, it
    contains all words of train; words that are missing in the file have random vectors.
    With `frozen_outside`, it also contains the words of dev that are in the file, and
    the first words of the file, after the words of train.

    The vector of padding is 0. The vector of the unknown word is random, or 0 with
    `frozen_outside`.

    Args:
        settings: the `EmbeddingSettings`.
        vector_reader: the `VectorReader` of the vector file; `None` for random vectors.
        train_words, dev_words: distinct words of train and dev, most frequent first.
        seed: seed of the random vectors.
        special_words: words that are always in the vocabulary. A special word that is
            missing in the file has a random vector.

    Returns: a tuple of the `Vocabulary`, the float32 embedding matrix
        `(len(vocabulary), units)`, and the number of frozen rows at the end of a
        trained matrix.
    """
    known = {}
    if vector_reader:
        known = _read_known_vectors(settings, vector_reader, train_words, dev_words)
    required_words = [*special_words]
    if settings.trainable:
        required_words += train_words
    words = list(dict.fromkeys([*required_words, *known]))
    num_outside = len(words) - len(set(required_words))
    vectors = settings.draw_vectors(len(words) + FIRST_WORD, seed)
    vectors[PADDING] = 0
    if settings.frozen_outside:
        vectors[UNKNOWN] = 0
    for row, word in enumerate(words, start=FIRST_WORD):
        if word in known:
            vectors[row] = known[word]
    frozen_rows = num_outside if settings.trainable else 0
    return Vocabulary(words), vectors.astype(np.float32), frozen_rows


def extend_embedding(  # noqa: PLR0913
    known: KnownWords,
    settings: EmbeddingSettings,
    vector_reader: VectorReader | None,
    train_words: Sequence[str],
    dev_words: Sequence[str],
    seed: int,
    special_words: Sequence[str] = (),
) -> tuple[Vocabulary, np.ndarray, int]:
    """Extends the vocabulary and word vectors of a trained run by the words of a new
    corpus.

    All words of the run keep their vectors, including padding and the unknown word. New
    words are added if they are in the vector file; otherwise they are unknown.

    Args:
        known: the words of the run.
        settings: settings of the new training.
        vector_reader, train_words, dev_words, special_words: see `build_embedding`.
        seed: seed of the vectors of special words that are not in the file.

    Returns: see `build_embedding`. With `frozen_outside`, the frozen rows are the words
        of dev and the frozen words of the run, except words that occur in train.
    """
    corpus_words = list(train_words)
    if settings.has_words_outside_train:
        corpus_words = list(dict.fromkeys([*train_words, *dev_words]))
    new = known.vocabulary.list_unknown(corpus_words)
    vectors_in_file = {}
    if vector_reader and new:
        shared = [word for word in corpus_words if word in known.vocabulary]
        shared = shared[:NUM_COMPARED]
        found, _ = vector_reader.look_up([*new, *shared])
        _warn_about_different_vectors(vector_reader, known, found, shared)
        vectors_in_file = {word: found[word] for word in new if word in found}
        num_known = len(corpus_words) - len(new) + len(vectors_in_file)
        if num_known < MIN_KNOWN_SHARE * len(corpus_words):
            _warn_about_wrong_file(vector_reader, corpus_words, num_known)
    special = known.vocabulary.list_unknown(special_words)
    drawn = settings.draw_vectors(len(special), seed)
    added = {**dict(zip(special, drawn, strict=True)), **vectors_in_file}
    log.info(
        "vocabulary: %d words of the earlier run, %d new words; %d words of the corpus "
        "remain unknown",
        len(known.vocabulary.words),
        len(added),
        len(new) - len(set(new) & set(added)),
    )
    words = [*known.vocabulary.words, *added]
    rows = np.concatenate(
        [known.vectors, np.reshape([*added.values()], (len(added), settings.units))]
    )
    is_frozen = np.zeros(len(words), bool)
    if settings.trainable and settings.frozen_outside:
        trained_words = {*train_words, *special_words}
        first = len(known.vocabulary.words) - known.frozen_rows
        is_frozen[first:] = [word not in trained_words for word in words[first:]]
    order = np.argsort(is_frozen, kind="stable")  # frozen rows last
    vocabulary = Vocabulary(words[position] for position in order)
    vectors = np.concatenate([rows[:FIRST_WORD], rows[FIRST_WORD:][order]])
    return vocabulary, vectors.astype(np.float32), int(is_frozen.sum())


def _read_known_vectors(settings, vector_reader, train_words, dev_words):
    """Returns the vectors of the corpus words that are in the file, followed by the
    vectors of the first words of the file."""
    words = train_words
    num_frequent = 0
    if settings.has_words_outside_train:
        words = list(dict.fromkeys([*train_words, *dev_words]))
        num_frequent = settings.frequent_words
    known, frequent_vectors = vector_reader.look_up(words, num_frequent)
    if len(known) < MIN_KNOWN_SHARE * len(words):
        _warn_about_wrong_file(vector_reader, words, len(known))
    for word, vector in frequent_vectors.items():
        is_usable = not settings.lowercase or word == word.lower()
        if is_usable and word not in known:
            known[word] = vector
    return known


def _warn_about_wrong_file(vector_reader, words, num_known):
    """Logs a warning that the file contains few words, with the probable cause.

    Args:
        vector_reader: the `VectorReader` of the file.
        words: words of the corpus.
        num_known: number of these words that are in the file.
    """
    first_words = {
        word.casefold() for word in vector_reader.read_first_words(NUM_FIRST_WORDS)
    }
    cause = "the file may be in another language"
    num_known_in_any_case = sum(word.casefold() in first_words for word in words)
    if num_known_in_any_case > num_known:
        cause = "the words of the file have another case ('tokenizer.lowercase')"
    log.warning(
        "%s: only %d of the %d words of the corpus have a vector: %s",
        vector_reader.path.name,
        num_known,
        len(words),
        cause,
    )


def _warn_about_different_vectors(vector_reader, known, found, words):
    """Logs a warning if the vectors of known words differ from those in the file.

    Args:
        vector_reader: the `VectorReader` of the file.
        known: the `KnownWords` of the earlier run.
        found: vectors of the file by word.
        words: words of the earlier run.
    """
    words = [word for word in words if word in found]
    if not words:
        return
    old = known.vectors[known.vocabulary.ids(words)]
    new = np.stack([found[word] for word in words])
    norms = np.linalg.norm(old, axis=1) * np.linalg.norm(new, axis=1)
    cosines = (old * new).sum(axis=1) / np.maximum(norms, 1e-12)
    if np.median(cosines) < MIN_COSINE:
        log.warning(
            "%s: the vectors differ from the word vectors of 'training.start_from', so "
            "its encoder cannot read the vectors of new words. Use the vector file of "
            "that run",
            vector_reader.path.name,
        )
