import numpy as np
import pytest

from dsa.data.pair_features.groups import FeatureSettings
from dsa.data.pair_features.pair import Knowledge, Pair
from dsa.data.pair_features.relations import (
    count_antonyms,
    count_hypernyms,
    count_synonyms,
    find_antonyms,
)
from dsa.data.pair_features.statistics import FeatureStatistics
from dsa.data.pair_features.wordnet import WordRelations
from dsa.errors import InputError
from tests.data.pair_features.support import GivenRelations

VECTORS = {
    "hot": [1, 0.1],
    "cold": [1, 0],
    "wet": [0.9, 0.1],
    "red": [0, 1],
    "the": [1, 0],
    "zero": [0, 0],
}


def vectors(word):
    return np.array(VECTORS[word]) if word in VECTORS else None


def pair(first, second):
    return Pair(first.split(), second.split(), is_train=False)


def find(rows, relations=None, stop_words=True, cosine=0.4):
    settings = FeatureSettings(
        ("antonyms",), antonym_cosine=cosine, antonym_stop_words=stop_words
    )
    pairs = [(first.split(), second.split()) for first, second, _ in rows]
    labels = [label for *_, label in rows]
    return find_antonyms(
        settings, pairs, labels, vectors, relations or GivenRelations()
    )


# the last row only has the label that must exist
ROWS = [
    ("hot tea", "cold tea", "contradiction"),
    ("it is hot", "it is cold", "neutral"),
    ("x", "x", "entailment"),
]


def test_synonyms_and_hypernyms_are_counted_across_the_words_of_one_sentence():
    relations = GivenRelations(
        {("big", "large"), ("big", "great"), ("dog", "dog")},
        {("dog", "animal"), ("poodle", "animal"), ("animal", "being")},
    )
    knowledge = Knowledge(None, None, relations)
    both = pair("big dog dog poodle here", "large great animal being here")
    assert count_synonyms(both, knowledge) == [2]
    assert count_hypernyms(both, knowledge) == [3, 0]
    assert count_hypernyms(pair("animal", "poodle dog"), knowledge) == [0, 2]
    # a word that both sentences have is not compared
    assert count_hypernyms(pair("dog animal", "animal"), knowledge) == [0, 0]


def test_antonyms_are_counted_in_either_order():
    statistics = FeatureStatistics(antonyms=frozenset({("cold", "hot")}))
    knowledge = Knowledge(None, statistics, None)
    assert count_antonyms(pair("hot tea", "cold tea"), knowledge) == [1]
    assert count_antonyms(pair("cold hot", "hot"), knowledge) == [0]
    assert count_antonyms(pair("cold cold", "hot"), knowledge) == [2]


def test_antonyms_occur_in_two_rows_that_are_no_entailment():
    assert find(ROWS) == {("hot", "cold")}
    assert find(ROWS[1:]) == set()


def test_antonyms_never_occur_in_an_entailment():
    assert find([*ROWS, ("hot", "cold", "entailment")]) == set()


def test_a_pair_and_its_reverse_are_counted_apart():
    (first, second, _), *rest = ROWS
    assert find([(second, first, "neutral"), *rest]) == set()
    assert find([*ROWS, ("cold", "hot", "entailment")]) == {("hot", "cold")}


@pytest.mark.parametrize("word", ["red", "zero", "unknown"])
def test_antonyms_have_similar_vectors(word):
    rows = [tuple(text.replace("cold", word) for text in row) for row in ROWS]
    assert find(rows) == set()


def test_the_cosine_of_antonyms_is_a_setting():
    assert find(ROWS, cosine=0.999) == set()


def test_synonyms_and_hypernyms_are_no_antonyms():
    assert find(ROWS, GivenRelations({("hot", "cold")})) == set()
    assert find(ROWS, GivenRelations(hypernyms={("hot", "cold")})) == set()


def test_whether_stop_words_are_antonyms_is_a_setting():
    rows = [tuple(text.replace("cold", "the") for text in row) for row in ROWS]
    assert find(rows) == {("hot", "the")}
    assert find(rows, stop_words=False) == set()


def test_antonyms_need_the_label_entailment():
    with pytest.raises(InputError, match="'entailment'. Received: no, yes$"):
        find([("a", "b", "yes"), ("a", "b", "no")])


def test_without_wordnet_words_have_no_relations():
    relations = WordRelations(None)
    assert not relations.are_synonyms("large", "big")
    assert not relations.has_hypernym("dog", "animal")
    assert relations.version is None and relations.synsets("dog") == []
