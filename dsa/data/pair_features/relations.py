"""Features based on synonyms, hypernyms and antonyms.

They compare the words that occur in only one of the two sentences.

Reference: Yin et al. 2016, section 5.3, after Lai and Hockenmaier 2014.
"""

import itertools
from collections import Counter

import numpy as np

from dsa.data.pair_features.pair import Knowledge, Pair, load_stop_words, remove_overlap
from dsa.errors import InputError

ENTAILMENT = "entailment"
ROWS = 2  # minimum number of training rows with an antonym pair


def count_synonyms(pair: Pair, knowledge: Knowledge) -> list[int]:
    """Returns the number of word pairs, one word per sentence, that are synonyms."""
    are_synonyms = knowledge.relations.are_synonyms
    return [sum(itertools.starmap(are_synonyms, _cross(pair)))]


def count_hypernyms(pair: Pair, knowledge: Knowledge) -> list[int]:
    """Returns, for each sentence, the number of its words with a hypernym in the other
    sentence."""
    has_hypernym = knowledge.relations.has_hypernym
    first, second = pair.without_overlap
    return [
        sum(any(has_hypernym(word, other) for other in others) for word in words)
        for words, others in ((first, second), (second, first))
    ]


def count_antonyms(pair: Pair, knowledge: Knowledge) -> list[int]:
    """Returns the number of word pairs, one word per sentence, that are antonyms
    according to the training rows."""
    antonyms = knowledge.statistics.antonyms
    either = (words in antonyms or words[::-1] in antonyms for words in _cross(pair))
    return [sum(either)]


def _cross(pair):
    return itertools.product(*pair.without_overlap)


def learn_antonyms(settings, pairs, labels, vectors, relations):
    """Returns the word pairs that are likely antonyms according to the training rows.

    A pair consists of a word that occurs only in sentence 1 and a word that occurs only
    in sentence 2. It must occur in at least two rows that are not entailments and in no
    entailment. The words must not be synonyms or hypernyms of each other, and the
    cosine of their vectors must exceed `antonym_cosine`. A pair and its reverse are
    counted separately. Pairs with stop words are excluded unless `antonym_stop_words`.

    Args: as in `FeatureStatistics.learn`.

    Returns: frozenset of pairs.

    Raises: `InputError` if no label is "entailment".
    """
    if ENTAILMENT not in labels:
        raise InputError(
            "the features 'antonyms' need rows with the label 'entailment'. Received: "
            f"{', '.join(sorted(set(map(str, labels)))) or 'no rows'}"
        )
    entailed, others = set(), Counter()
    for sentences, label in zip(pairs, labels, strict=True):
        words = set(itertools.product(*remove_overlap(*sentences)))
        if label == ENTAILMENT:
            entailed |= words
        else:
            others.update(words)
    return frozenset(
        words
        for words, rows in others.items()
        if rows >= ROWS
        and words not in entailed
        and (settings.antonym_stop_words or not _has_stop_word(words))
        and _cosine(*map(vectors, words)) > settings.antonym_cosine
        and not _are_related(words[0], words[1], relations)
    )


def _has_stop_word(words):
    return any(word.lower() in load_stop_words() for word in words)


def _are_related(word, other, relations):
    return (
        relations.are_synonyms(word, other)
        or relations.has_hypernym(word, other)
        or relations.has_hypernym(other, word)
    )


def _cosine(vector, other):
    """Returns the cosine of two vectors; -1 if a vector is missing or zero."""
    if vector is None or other is None:
        return -1.0
    norms = np.linalg.norm(vector) * np.linalg.norm(other)
    return float(np.dot(vector, other) / norms) if norms else -1.0
