"""A pair of tokenized sentences, and the features that count its words: lengths, shared
words, negation."""

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dsa.data.pair_features.groups import FeatureSettings
    from dsa.data.pair_features.wordnet import WordRelations

LENGTH_UNIT = 40  # tokens; answers of WikiQA are cut here
NEGATIONS = frozenset(("no", "not", "nobody", "isn't", "n't"))


def remove_overlap(first: list, second: list) -> tuple[list, list]:
    """Returns two sentences without the words that both have (NONOVER).

    Such a word is removed at every place; the order of the others stays. A sentence
    that loses every word is an empty list.

    Reference: Yin et al. 2016, https://arxiv.org/abs/1512.05193, section 5.3, Table 5,
        by the rule of their code. The table itself does not follow one rule.

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
    """Two lists of tokens; `is_train`: whether the statistics were counted on them."""

    first: list
    second: list
    is_train: bool

    @functools.cached_property
    def without_overlap(self) -> tuple[list, list]:
        """Both sentences without the words that they share."""
        return remove_overlap(self.first, self.second)


@dataclasses.dataclass(frozen=True)
class Knowledge:
    """What is known besides the pair."""

    settings: "FeatureSettings"
    statistics: Any  # `FeatureStatistics` with what the groups need
    relations: "WordRelations"


@functools.cache
def load_stop_words() -> frozenset[str]:
    """Scikit-learn's list of 318 frequent English words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS


def measure_lengths(pair: Pair, knowledge: Knowledge) -> list:
    """Tokens of both sentences, divided by 40."""
    return [len(pair.first) / LENGTH_UNIT, len(pair.second) / LENGTH_UNIT]


def measure_nonoverlap_lengths(pair: Pair, knowledge: Knowledge) -> list:
    """Tokens of both sentences without the words that they share, divided by 40."""
    return [len(words) / LENGTH_UNIT for words in pair.without_overlap]


def count_shared_words(pair: Pair, knowledge: Knowledge) -> list:
    """How many tokens of sentence 1 are no stop word and occur in sentence 2."""
    return [len(_list_shared_words(pair))]


def weigh_shared_words(pair: Pair, knowledge: Knowledge) -> list:
    """The sum of the inverse document frequencies of these tokens."""
    frequency = knowledge.statistics.document_frequency
    form = knowledge.settings.idf
    return [sum(frequency.inverse(word, form) for word in _list_shared_words(pair))]


def _list_shared_words(pair):
    answer, stop_words = set(pair.second), load_stop_words()
    return [
        word for word in pair.first if word in answer and word.lower() not in stop_words
    ]


def contains_negation(pair: Pair, knowledge: Knowledge) -> list:
    """1 if either sentence has a word of `NEGATIONS`, else 0.

    Reference: Yin et al. 2016, section 5.3. "n't" is added: Treebank tokens of "isn't"
        are "is" and "n't".
    """
    return [float(any(t.lower() in NEGATIONS for t in pair.first + pair.second))]
