"""Tests of the log of unknown words."""

import logging

import pytest

from dsa.data.words.vocabulary import Vocabulary
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
