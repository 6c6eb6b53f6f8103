"""Features based on synonyms, hypernyms and antonyms.

The features compare words that occur in only one of the two sentences.

Reference: Yin et al. 2016, section 5.3, after Lai and Hockenmaier 2014.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dsa.data.pair_features.pair import Knowledge, Pair, load_stop_words, remove_overlap
from dsa.data.pair_features.wordnet import WordRelations
from dsa.errors import InputError

if TYPE_CHECKING:
    from dsa.data.pair_features.groups import FeatureSettings

ENTAILMENT = "entailment"
MIN_ROWS = 2  # minimum number of training rows with an antonym pair


def count_synonyms(pair: Pair, knowledge: Knowledge) -> list[int]:
    """Returns the number of word pairs, one word per sentence, that are synonyms."""
    are_synonyms = knowledge.relations.are_synonyms
    return [sum(are_synonyms(word, other) for word, other in _pair_words(pair))]


def count_hypernyms(pair: Pair, knowledge: Knowledge) -> list[int]:
    """Returns, for each sentence, the number of its words with a hypernym in the other
    sentence."""
    first, second = pair.without_overlap
    return [
        _count_with_hypernym(first, second, knowledge.relations),
        _count_with_hypernym(second, first, knowledge.relations),
    ]


def _count_with_hypernym(words, others, relations):
    """Returns the number of words with a hypernym in `others`."""
    return sum(
        any(relations.has_hypernym(word, other) for other in others) for word in words
    )


def count_antonyms(pair: Pair, knowledge: Knowledge) -> list[int]:
    """Returns the number of word pairs, one word per sentence, that are antonyms
    according to the training rows."""
    antonyms = knowledge.statistics.antonyms
    return [
        sum(
            (word, other) in antonyms or (other, word) in antonyms
            for word, other in _pair_words(pair)
        )
    ]


def _pair_words(pair):
    """Returns an iterator over the word pairs, one word per sentence, without shared
    words."""
    return itertools.product(*pair.without_overlap)


def find_antonyms(
    settings: "FeatureSettings",
    pairs: Sequence[Sequence[list[str]]],
    labels: Sequence[str],
    find_vector: Callable[[str], np.ndarray | None],
    relations: WordRelations,
) -> frozenset[tuple[str, str]]:
    """Returns the word pairs that are likely antonyms according to the training rows.

    A pair consists of a word that occurs only in sentence 1 and a word that occurs only
    in sentence 2. The pair must occur in at least two rows that are not entailments,
    and in no entailment. The words must not be synonyms or hypernyms of each other, and
    the cosine of their vectors must exceed `antonym_cosine`. A pair and its reverse are
    counted separately. Pairs with stop words are excluded unless `antonym_stop_words`.

    Args:
        settings, pairs, labels, find_vector: as in `FeatureStatistics.fit`.
        relations: the `WordRelations`.

    Returns: frozenset of pairs of words.

    Raises: `InputError` if no label is "entailment".
    """
    if ENTAILMENT not in labels:
        raise InputError(
            "the features 'antonyms' require rows with the label 'entailment'. "
            f"Received: {', '.join(sorted(set(map(str, labels)))) or 'no rows'}"
        )
    entailed = set()  # word pairs in entailments
    other_counts = Counter()  # number of other rows with each word pair
    for sentences, label in zip(pairs, labels, strict=True):
        words = set(itertools.product(*remove_overlap(*sentences)))
        if label == ENTAILMENT:
            entailed |= words
        else:
            other_counts.update(words)
    antonyms = set()
    for words, num_rows in other_counts.items():
        if num_rows < MIN_ROWS or words in entailed:
            continue
        if not settings.antonym_stop_words and _has_stop_word(words):
            continue
        word, other = words
        cosine = _compute_cosine(find_vector(word), find_vector(other))
        is_similar = cosine > settings.antonym_cosine
        if is_similar and not _are_related(word, other, relations):
            antonyms.add(words)
    return frozenset(antonyms)


def _has_stop_word(words):
    return any(word.lower() in load_stop_words() for word in words)


def _are_related(word, other, relations):
    """Returns whether two words are synonyms, or one is a hypernym of the other."""
    return (
        relations.are_synonyms(word, other)
        or relations.has_hypernym(word, other)
        or relations.has_hypernym(other, word)
    )


def _compute_cosine(vector, other):
    """Returns the cosine of two vectors, or -1 if a vector is missing or zero."""
    if vector is None or other is None:
        return -1.0
    norms = np.linalg.norm(vector) * np.linalg.norm(other)
    return float(np.dot(vector, other) / norms) if norms else -1.0
