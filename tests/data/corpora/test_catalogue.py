import dataclasses

import pytest

from dsa.data.corpora.catalogue import CORPORA, corpus_named, register
from dsa.errors import InputError


@pytest.fixture
def own_catalogue(monkeypatch):
    """What a test registers is gone after it."""
    monkeypatch.setattr("dsa.data.corpora.catalogue.CORPORA", dict(CORPORA))


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_is_filed_under_its_name_and_has_a_reader_and_a_task(name):
    corpus = corpus_named(name)
    assert corpus.name == name
    assert callable(corpus.read) and corpus.task.outputs >= 2


@pytest.mark.parametrize("name", CORPORA)
def test_official_files_are_named_alike_for_splits_and_row_counts(name):
    corpus = CORPORA[name]
    files = {path.rpartition("/")[2] for path in corpus.splits.values()}
    if name != "quora":  # its count is of the file that BiMPM's splits are drawn from
        assert set(corpus.official_rows) <= files
    assert set(corpus.official_phrase_rows) <= files


def test_an_unknown_corpus_is_an_error_with_the_nearest_known_one():
    with pytest.raises(InputError, match="unknown corpus 'snil'. Did you mean 'snli'?"):
        corpus_named("snil")
    with pytest.raises(InputError, match="unknown corpus 'x'. Known: snli, multinli"):
        corpus_named("x")


def test_a_corpus_can_be_added_once(own_catalogue):
    own = dataclasses.replace(CORPORA["cr"], name="reviews")
    register(own)
    assert corpus_named("reviews") is own
    with pytest.raises(ValueError, match="a corpus named 'reviews' already"):
        register(own)


def test_the_neutral_label_of_phrases_has_a_number():
    assert CORPORA["sst"].neutral_number == 2
    assert CORPORA["cr"].neutral_number is None
