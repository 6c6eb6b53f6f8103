import math

import pytest

from dsa.data.pair_features.groups import FeatureSettings
from dsa.data.pair_features.pair import (
    Knowledge,
    Pair,
    contains_negation,
    count_shared_words,
    measure_lengths,
    measure_nonoverlap_lengths,
    remove_overlap,
    weigh_shared_words,
)
from dsa.data.pair_features.statistics import DocumentFrequency, FeatureStatistics

ANSWERS = [["fish", "swim", "fish"], ["cats", "eat", "fish"], ["cats", "sleep"]]


def pair(first, second):
    return Pair(first.split(), second.split(), is_train=False)


def knowledge(idf):
    statistics = FeatureStatistics(DocumentFrequency.fit(ANSWERS))
    return Knowledge(FeatureSettings(("weighted_word_count",), idf), statistics, None)


@pytest.mark.parametrize(
    "first, second, left_of_first, left_of_second",
    [
        (  # the pairs of Table 5
            "children in red shirts are playing in the leaves",
            "three kids are sitting in the leaves",
            "children red shirts playing",
            "three kids sitting",
        ),
        (
            "three boys are jumping in the leaves",
            "three kids are jumping in the leaves",
            "boys",
            "kids",
        ),
        (
            "a man is jumping into an empty pool",
            "a man is jumping into a full pool",
            "an empty",
            "full",
        ),
        ("a a b", "b a", "", ""),
    ],
)
def test_every_word_that_both_sentences_have_goes(
    first, second, left_of_first, left_of_second
):
    left = remove_overlap(first.split(), second.split())
    assert left == (left_of_first.split(), left_of_second.split())


def test_lengths_are_in_units_of_40_tokens():
    assert measure_lengths(pair("a b c d e", "a b"), None) == [5 / 40, 2 / 40]
    assert measure_nonoverlap_lengths(pair("a b c d e", "a b"), None) == [3 / 40, 0]


def test_shared_words_count_at_each_place_of_the_question_without_stop_words():
    question = pair("What eats fish , fish or The bird", "The fish eats a fish , or so")
    assert count_shared_words(question, None) == [4]  # eats, fish, the comma, fish


@pytest.mark.parametrize(
    "idf, fish, cats, dogs",
    [
        ("log", math.log(4 / 3), math.log(4 / 3), math.log(4)),
        ("inverse", 1 / 2, 1 / 2, 1),
    ],
)
def test_shared_words_weigh_by_their_training_answers(idf, fish, cats, dogs):
    (weight,) = weigh_shared_words(
        pair("do cats eat fish like dogs", "dogs like fish and cats"), knowledge(idf)
    )
    like = dogs  # no training answer has it either
    assert weight == pytest.approx(fish + cats + dogs + like)


@pytest.mark.parametrize("word", ["no", "not", "nobody", "isn't", "n't", "Nobody"])
def test_negation_in_either_sentence(word):
    assert contains_negation(pair(f"he {word} eats", "he eats"), None) == [1]
    assert contains_negation(pair("he eats", f"he {word}"), None) == [1]
    assert contains_negation(pair("nothing", "knot"), None) == [0]
