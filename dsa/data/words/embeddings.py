"""Vocabulary and embedding matrix of a run."""

import dataclasses
import logging
from collections.abc import Sequence

import numpy as np

from dsa.data.words.vector_reader import VectorReader
from dsa.data.words.vocabulary import FIRST_WORD, PADDING, UNKNOWN, Vocabulary

MIN_KNOWN = 0.1  # share of known words below which a warning is logged
FIRST_WORDS = 10_000  # words of a file that are read to explain the warning

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class EmbeddingSettings:
    """Settings of the vocabulary and the word vectors.

    With `frozen_outside`, words that do not occur in train use frozen vectors of the
    file; otherwise they are mapped to the unknown word.
    """

    units: int  # size of a vector
    trainable: bool = False  # whether the vectors are trained
    frozen_outside: bool = False
    frequent_words: int = 0  # number of the file's first words in the vocabulary
    lowercase: bool = False  # whether the tokenizer lower-cases words
    random: str = "uniform"  # or `normal`: distribution of missing vectors
    random_scale: float = 0.05  # half-width of `uniform`, deviation of `normal`

    @property
    def has_words_outside_train(self):
        return not self.trainable or self.frozen_outside

    def draw_vectors(self, rows, seed):
        """Returns random vectors, float64 `(rows, units)`."""
        generator, size = np.random.default_rng(seed), (rows, self.units)
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


def build_embedding(
    settings, vector_reader, train_words, dev_words, seed, special_words=()
):
    """Builds the vocabulary and the embedding matrix of a run.

    Frozen vectors: the vocabulary contains the words of train and dev that are in the
    file, and the file's most frequent words. Trained vectors: it contains all words of
    train, with random vectors for words that are missing in the file; with
    `frozen_outside` followed by the words of dev and the frequent words in the file.
    The vector of padding is 0. The vector of the unknown word is random, or 0 with
    `frozen_outside`.

    Args:
        settings: the `EmbeddingSettings`.
        vector_reader: the `VectorReader` of the vector file; `None` for random vectors.
        train_words, dev_words: distinct words, most frequent first.
        special_words: words that are always in the vocabulary, with random vectors if
            they are missing in the file.

    Returns: a `Vocabulary`, a float32 array `(len(vocabulary), units)`, and the number
        of frozen rows at the end of a trained matrix.
    """
    known = {}
    if vector_reader:
        known = _read_known_vectors(settings, vector_reader, train_words, dev_words)
    own_rows = [*special_words, *(train_words if settings.trainable else [])]
    words = list(dict.fromkeys([*own_rows, *known]))
    outside = len(words) - len(set(own_rows))
    vectors = settings.draw_vectors(len(words) + FIRST_WORD, seed)
    vectors[PADDING] = 0
    if settings.frozen_outside:
        vectors[UNKNOWN] = 0
    for row, word in enumerate(words, start=FIRST_WORD):
        if word in known:
            vectors[row] = known[word]
    frozen = outside if settings.trainable else 0
    return Vocabulary(words), vectors.astype(np.float32), frozen


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

    All words of the run keep their vectors, also padding and the unknown word. New
    words are added if the vector file contains them; the others are unknown.

    Args:
        known: the words of the run.
        settings: settings of the new training.
        vector_reader, train_words, dev_words, special_words: as in `build_embedding`.
        seed: seed of the vectors of special words that have none.

    Returns: see `build_embedding`. With `frozen_outside`, the frozen rows are the words
        of dev, and the frozen words of the run, that do not occur in train.
    """
    wanted = [*train_words, *(dev_words if settings.has_words_outside_train else ())]
    new, added = known.vocabulary.list_unknown(wanted), {}
    if vector_reader and new:
        added, _ = vector_reader.look_up(new)
    special = known.vocabulary.list_unknown(special_words)
    drawn = settings.draw_vectors(len(special), seed)
    added = {**dict(zip(special, drawn, strict=True)), **added}
    log.info(
        "%d words of the earlier run, %d new words, %d of the corpus unknown",
        len(known.vocabulary.words),
        len(added),
        len(new) - len(set(new) & set(added)),
    )
    words = [*known.vocabulary.words, *added]
    rows = np.concatenate(
        [known.vectors, np.reshape([*added.values()], (len(added), settings.units))]
    )
    frozen = np.zeros(len(words), bool)
    if settings.trainable and settings.frozen_outside:
        in_train = {*train_words, *special_words}
        trained = len(known.vocabulary.words) - known.frozen_rows
        frozen[trained:] = [word not in in_train for word in words[trained:]]
    order = np.argsort(frozen, kind="stable")  # frozen rows last
    vocabulary = Vocabulary(words[number] for number in order)
    vectors = np.concatenate([rows[:FIRST_WORD], rows[FIRST_WORD:][order]])
    return vocabulary, vectors.astype(np.float32), int(frozen.sum())


def _read_known_vectors(settings, vector_reader, train_words, dev_words):
    """Returns `{word: vector}` of the words in the file, words of the corpus first."""
    words, frequent = train_words, 0
    if settings.has_words_outside_train:
        words = list(dict.fromkeys([*train_words, *dev_words]))
        frequent = settings.frequent_words
    known, top = vector_reader.look_up(words, frequent)
    if len(known) < MIN_KNOWN * len(words):
        _warn_of_wrong_file(vector_reader, words, len(known))
    if settings.lowercase:  # words with capitals would never be used
        top = {word: top[word] for word in top if word == word.lower()}
    return known | {word: top[word] for word in top if word not in known}


def _warn_of_wrong_file(vector_reader, words, known):
    first = {word.casefold() for word in vector_reader.read_first_words(FIRST_WORDS)}
    cause = "the file may be in another language"
    if sum(word.casefold() in first for word in words) > known:
        cause = "the words of the file have another case ('tokenizer.lowercase')"
    log.warning(
        "%s: contains only %d of the %d words of the corpus: %s",
        vector_reader.path.name,
        known,
        len(words),
        cause,
    )
