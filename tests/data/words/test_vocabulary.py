import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vocabulary import Vocabulary


def test_ids_start_behind_padding_and_unknown():
    vocabulary = Vocabulary(["b", "a"])
    assert vocabulary.ids(["a", "c", "b"]).tolist() == [3, 1, 2]
    assert len(vocabulary) == 4
    assert "a" in vocabulary
    assert "c" not in vocabulary


def test_words_of_any_kind_survive_the_text_form():
    words = ["a", "\x85", "\u00a0b", "<unk>", "\u2028", "\r", "😀"]
    assert Vocabulary.from_text(Vocabulary(words).to_text()).words == words


def test_words_must_be_distinct():
    with pytest.raises(ValueError, match="must be distinct"):
        Vocabulary(["a", "a"])


def test_a_corpus_is_mapped_to_ids_with_its_unknown_rate():
    examples = [Example(("a b a", ""), None, "1", None, None, 1)]
    tokenize = Tokenizer("whitespace")
    corpus = from_examples(examples, tokenize, NLI, "here")
    vocabulary = Vocabulary(["a"])
    sentences = vocabulary.sentences(corpus)
    assert sentences.pad(corpus.sentence_indices[:, 0]).tolist() == [[2, 1, 2]]
    assert sentences.pad(corpus.sentence_indices[:, 1]).tolist() == [[1]]
    coverage = vocabulary.count_unknown(corpus)
    assert coverage["unknown_words"] == 1 and coverage["words"] == 2
    assert coverage["unknown_tokens"] == 1 and coverage["tokens"] == 3
    assert coverage["unknown_token_share"] == pytest.approx(1 / 3, abs=1e-6)
