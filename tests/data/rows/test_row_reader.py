import dataclasses

import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.data.corpora.example import Example
from dsa.data.pair_features.groups import FeatureSettings
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.rows.row_reader import EMPTY_TOKEN, RowReader, measure_scale
from dsa.data.words.vocabulary import UNKNOWN, Vocabulary
from dsa.errors import InputError
from dsa.system.folders import get_cache_folder
from dsa.tasks.task import NONOVERLAP, PAIR

PAIRS = [
    ("a man sleeps", "a man rests", "entailment"),
    ("the dog", "the dog", "neutral"),
    ("a b c d", "x", "contradiction"),
]


def make_corpus(pairs=PAIRS):
    examples = [
        Example((first, second), label, None, None, None, line)
        for line, (first, second, label) in enumerate(pairs, start=1)
    ]
    return from_examples(examples, Tokenizer("whitespace"), NLI, "test")


def test_rows_without_features_are_the_corpuss():
    corpus = make_corpus()
    vocabulary = Vocabulary(corpus.words)
    rows = RowReader(PAIR).convert(corpus, vocabulary)
    assert rows.features is None and rows.inputs == PAIR and len(rows) == 3
    batch = rows.pad(np.array([2, 0]), [5, 3])
    assert set(batch) == set(PAIR)
    words = [vocabulary.words[i - 2] for i in batch["premise"][0, :4]]
    assert words == ["a", "b", "c", "d"] and batch["premise"][0, 4] == 0
    assert batch["hypothesis"].shape == (2, 3)


def test_the_second_copy_has_no_common_words():
    corpus = make_corpus()
    vocabulary = Vocabulary([EMPTY_TOKEN, *corpus.words])
    reader = RowReader(PAIR, nonoverlap=True)
    rows = reader.convert(corpus, vocabulary, np.array([0, 1]))
    assert rows.inputs == (*PAIR, *NONOVERLAP)
    batch = rows.pad(np.arange(2), rows.lengths.max(axis=0))

    def text(name, row):
        return [vocabulary.words[i - 2] for i in batch[name][row] if i]

    assert text("premise", 0) == ["a", "man", "sleeps"]
    assert text("premise_nonoverlap", 0) == ["sleeps"]
    assert text("hypothesis_nonoverlap", 0) == ["rests"]
    assert (
        text("premise_nonoverlap", 1)
        == text("hypothesis_nonoverlap", 1)
        == [EMPTY_TOKEN]
    )
    assert UNKNOWN not in batch["premise"]
    assert reader.list_first_row_words(make_corpus(PAIRS[:1])) == {
        "premise": ["a", "man", "sleeps"],
        "hypothesis": ["a", "man", "rests"],
        "premise_nonoverlap": ["sleeps"],
        "hypothesis_nonoverlap": ["rests"],
    }


@pytest.mark.parametrize("standardize", [False, True])
def test_features_go_with_their_rows(standardize):
    corpus = make_corpus()
    vocabulary = Vocabulary(corpus.words)
    reader = RowReader(PAIR, FeatureSettings(("lengths",)), standardize=standardize)
    reader = reader.fit(corpus, NLI, lambda word: None)
    rows = reader.convert(corpus, vocabulary, np.array([2, 0]))
    lengths = np.array([[3, 3], [2, 2], [4, 1]]) / 40
    expected = lengths[[2, 0]]
    if standardize:
        expected = (expected - lengths.mean(axis=0)) / lengths.std(axis=0)
    np.testing.assert_allclose(rows.features, expected, rtol=1e-5)
    batch = rows.pad(np.array([1]), [3, 3])
    np.testing.assert_array_equal(batch["features"], rows.features[1:])


def test_statistics_do_not_change_with_the_rows_that_are_read():
    corpus = make_corpus()
    vocabulary = Vocabulary(corpus.words)
    settings = FeatureSettings(("weighted_word_count", "lengths"))
    reader = RowReader(PAIR, settings).fit(corpus, NLI, lambda word: None)
    both = make_corpus([*PAIRS, ("a a a", "man man", "neutral")])
    of_all = reader.convert(both, vocabulary)
    np.testing.assert_array_equal(
        of_all.features[:3], reader.convert(corpus, vocabulary).features
    )


def test_features_of_rows_that_are_in_no_file_are_not_kept():
    """Such as those of a request: the cache would grow with each of them."""
    corpus = make_corpus()
    vocabulary = Vocabulary(corpus.words)
    reader = RowReader(PAIR, FeatureSettings(("lengths",)))
    reader = reader.fit(corpus, NLI, lambda word: None)
    folder = get_cache_folder() / "pair_features"
    before = {*folder.glob("*")}
    asked = make_corpus([("asked only once", "here", "neutral")])
    expected = reader.convert(asked, vocabulary).features
    assert {*folder.glob("*")} == before
    asked = dataclasses.replace(asked, fingerprint="of a file")
    np.testing.assert_array_equal(reader.convert(asked, vocabulary).features, expected)
    assert len({*folder.glob("*")}) == len(before) + 1


def test_a_feature_that_is_not_finite_is_reported_with_its_name_and_row():
    corpus = make_corpus()
    reader = RowReader(PAIR, FeatureSettings(("lengths",)), standardize=True)
    reader = reader.fit(corpus, NLI, lambda word: None)
    scale = np.array([[0, 0], [1, np.nan]])
    reader = dataclasses.replace(reader, mean_and_std=scale)
    message = "^row 1: the feature 'length of sentence 2' must be a finite number"
    with pytest.raises(InputError, match=message):
        reader.convert(corpus, Vocabulary(corpus.words))


def test_features_require_fit():
    corpus = make_corpus()
    reader = RowReader(PAIR, FeatureSettings(("lengths",)))
    with pytest.raises(ValueError, match="`fit` must be called"):
        reader.convert(corpus, Vocabulary(corpus.words))


def test_a_constant_feature_is_not_divided_by_a_rounding_error():
    features = np.stack([np.full(1000, 0.175), np.arange(1000) / 1000], axis=1)
    assert features.std(axis=0)[0] > 0
    mean, std = measure_scale(features)
    assert std.tolist() == [1, pytest.approx(features[:, 1].std())]
    np.testing.assert_allclose(mean, features.mean(axis=0))
