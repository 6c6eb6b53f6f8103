"""Tokenized pairs, and features from lengths, shared words and negation."""

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dsa.data.pair_features.groups import FeatureSettings
    from dsa.data.pair_features.wordnet import WordRelations

LENGTH_UNIT = 40  # tokens; Yin et al. 2016 truncate answers to this length
NEGATIONS = frozenset(("no", "not", "nobody", "isn't", "n't"))


def remove_overlap(first: list, second: list) -> tuple[list, list]:
    """Returns two sentences without their shared words (NONOVER).

    All occurrences of a shared word are removed. The other words keep their order. A
    result may be empty.

    Reference: Yin et al. 2016, https://arxiv.org/abs/1512.05193, section 5.3, Table 5,
        as implemented in their code. The examples in the table are inconsistent.

    Example:
        >>> remove_overlap(["a", "man", "eats"], ["a", "dog", "eats"])
        (['man'], ['dog'])
    """
    shared = set(first) & set(second)
    return (
        [word for word in first if word not in shared],
        [word for word in second if word not in shared],
    )


@dataclasses.dataclass
class Pair:
    """A tokenized pair of sentences."""

    first: list
    second: list
    is_train: bool  # whether the training statistics include the pair

    @functools.cached_property
    def without_overlap(self) -> tuple[list, list]:
        """Both sentences without their shared words."""
        return remove_overlap(self.first, self.second)


@dataclasses.dataclass(frozen=True)
class Knowledge:
    """Settings, training statistics and word relations that features require."""

    settings: "FeatureSettings"
    statistics: Any  # `FeatureStatistics` with the statistics required by the groups
    relations: "WordRelations"


@functools.cache
def load_stop_words() -> frozenset[str]:
    """Returns scikit-learn's list of 318 English stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS


def measure_lengths(pair: Pair, knowledge: Knowledge) -> list:
    """Returns the number of tokens of both sentences, divided by 40."""
    return [len(pair.first) / LENGTH_UNIT, len(pair.second) / LENGTH_UNIT]


def measure_nonoverlap_lengths(pair: Pair, knowledge: Knowledge) -> list:
    """Returns the number of tokens of both sentences, divided by 40, without their
    shared words."""
    return [len(words) / LENGTH_UNIT for words in pair.without_overlap]


def count_shared_words(pair: Pair, knowledge: Knowledge) -> list:
    """Returns the number of tokens of sentence 1 that occur in sentence 2 and are not
    stop words."""
    return [len(_list_shared_words(pair))]


def weigh_shared_words(pair: Pair, knowledge: Knowledge) -> list:
    """Returns the sum of the inverse document frequencies of the shared words, as
    defined by `count_shared_words`."""
    frequency = knowledge.statistics.document_frequency
    formula = knowledge.settings.idf
    return [sum(frequency.inverse(word, formula) for word in _list_shared_words(pair))]


def _list_shared_words(pair):
    """Returns the tokens of sentence 1 that occur in sentence 2 and are not stop
    words."""
    second = set(pair.second)
    stop_words = load_stop_words()
    return [
        word for word in pair.first if word in second and word.lower() not in stop_words
    ]


def contains_negation(pair: Pair, knowledge: Knowledge) -> list:
    """Returns 1 if either sentence contains a word of `NEGATIONS`, otherwise 0.

    Reference: Yin et al. 2016, section 5.3. "n't" is added because the Treebank tokens
        of "isn't" are "is" and "n't".
    """
    words = pair.first + pair.second
    return [float(any(word.lower() in NEGATIONS for word in words))]
