"""Tests of the log of unknown words."""

import logging

import pytest

from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.inference import new_words


@pytest.fixture
def messages(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    return caplog


def test_an_unknown_word_is_logged_once_and_only_a_limited_number(
    messages, monkeypatch, tmp_path
):
    monkeypatch.setattr(new_words, "MAX_LOGGED_WORDS", 2)
    vocabulary, run = Vocabulary(["known"]), tmp_path
    for words in (["known", "first"], ["first"], ["second"], ["third"]):
        new_words.log_unknown_words(run, vocabulary, words)
    assert len(messages.messages) == 2
    assert "first" in messages.messages[0] and "second" in messages.messages[1]


def test_a_vector_file_for_a_linear_model_is_an_error():
    experiment = load_experiment("configs/snli/features.yaml")
    family, embedding = experiment.family, experiment.embedding
    assert new_words.find_vector_file(family, embedding) is None
    with pytest.raises(InputError, match="this run has no word vectors"):
        new_words.find_vector_file(family, embedding, "no_such_file.txt")
