import numpy as np

from dsa.data.prepared import tokenization
from dsa.data.prepared.tokenizer import Tokenizer

TEXTS = ["a b a", "", "c", "b d"]


def test_words_are_numbered_by_their_first_use():
    words, sentences = tokenization.tokenize_all(Tokenizer("whitespace"), TEXTS)
    assert words == ["a", "b", "c", "d"]
    assert sentences.ids.tolist() == [0, 1, 0, 2, 1, 3]
    assert sentences.offsets.tolist() == [0, 3, 3, 4, 6]


def test_chunks_in_other_processes_give_the_same(monkeypatch):
    texts = [f"word{n % 13} of text{n}" for n in range(101)]
    words, sentences = tokenization.tokenize_all(Tokenizer("treebank"), texts)
    monkeypatch.setattr(tokenization, "SENTENCES_A_CHUNK", 17)
    chunked_words, chunked = tokenization.tokenize_all(Tokenizer("treebank"), texts)
    assert chunked_words == words
    np.testing.assert_array_equal(chunked.ids, sentences.ids)
    np.testing.assert_array_equal(chunked.offsets, sentences.offsets)


def test_nothing_gives_nothing():
    words, sentences = tokenization.tokenize_all(Tokenizer("whitespace"), [])
    assert words == [] and len(sentences) == 0
