"""Words that a run lacks and a vector file has, gathered from rows that pass."""

import types

import numpy as np

from dsa.data.corpora.example import Example
from dsa.data.words.vocabulary import Vocabulary
from dsa.experiment.input_config import TokenizerConfig
from dsa.inference.bulk.missing_words import WordSearch, WordVectors


def make_search(path, lookup="cased", tokenizer="treebank"):
    path.write_text("Okapi 1 2\nzebra 3 4\ndog 5 6\nunused 7 8\n")
    experiment = types.SimpleNamespace(
        tokenizer=TokenizerConfig(name=tokenizer),
        embedding=types.SimpleNamespace(units=2, lookup=lookup),
    )
    run = types.SimpleNamespace(vocabulary=lambda: Vocabulary(["a", "dog"]))
    return WordSearch(run, experiment, path)


def make_examples(*texts):
    return [Example((text,), None, None, None, None, 1) for text in texts]


def test_only_words_that_the_file_has_are_kept(tmp_path):
    search = make_search(tmp_path / "vectors.txt")
    examples = make_examples("a zebra 17", "an okapi", *map(str, range(50)))
    assert list(search.watch(iter(examples))) == examples
    assert set(search.words) == {"zebra", "okapi"}
    search.find().write(tmp_path)
    words = WordVectors.read(tmp_path)
    assert list(words) == ["okapi", "zebra"]
    vectors = words.find(["zebra", "okapi", "gnu"])
    np.testing.assert_array_equal(vectors["okapi"], [1, 2])
    np.testing.assert_array_equal(vectors["zebra"], [3, 4])
    assert set(vectors) == {"zebra", "okapi"}


def test_without_new_words_there_is_nothing(tmp_path):
    search = make_search(tmp_path / "vectors.txt")
    list(search.watch(make_examples("a dog")))
    search.find().write(tmp_path)
    assert WordVectors.read(tmp_path) == {}
    assert WordVectors.read(tmp_path / "elsewhere").find(["a"]) == {}


def test_rows_with_parses_are_searched_as_raw_text_too(tmp_path):
    """A later row without a parse: then those of no row are read."""
    search = make_search(tmp_path / "vectors.txt", tokenizer="binary_parse")
    examples = [
        example._replace(parses=("( a dog )",)) for example in make_examples("a zebra")
    ]
    list(search.watch(iter(examples)))
    assert "zebra" in search.words
