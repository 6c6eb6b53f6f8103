import numpy as np
import pytest

from dsa.data.corpora.example import Example
from dsa.data.prepared.tokenizer import (
    Tokenizer,
    split_parse,
    split_treebank,
    tokenize_all,
)
from dsa.errors import InputError

PARSE = "( ( Two -LRB- 2 -RRB- ) ( ( are ( embracing ) ) . ) )"


def example(parses):
    return Example(("Two (2) are embracing.", "No."), None, "1", None, parses, 4)


def test_treebank_splits_sentences_clitics_and_punctuation():
    text = "The man isn't here. He's (away), isn't he?"
    assert split_treebank(text) == (
        "The man is n't here . He 's ( away ) , is n't he ?".split()
    )


def test_an_empty_text_has_no_token():
    assert split_treebank("  \n ") == []


def test_parse_leaves_have_brackets_for_bracket_names():
    assert split_parse(PARSE) == "Two ( 2 ) are embracing .".split()


def test_lower_casing_is_a_switch():
    assert Tokenizer("whitespace", lowercase=False)("A Man") == ["A", "Man"]
    assert Tokenizer("whitespace", lowercase=True)("A Man") == ["a", "man"]


def test_binary_parse_takes_the_leaves_of_the_corpus():
    tokenizer = Tokenizer("binary_parse", lowercase=False)
    reads, _ = tokenizer.pair_with_parses(example((PARSE, "( No . )")), "f")
    assert tokenizer(*reads) == "Two ( 2 ) are embracing .".split()


def test_binary_parse_stops_at_a_row_without_parse_and_names_treebank():
    with pytest.raises(
        InputError, match="f, row 4: .* requires binary parses.*treebank"
    ):
        Tokenizer("binary_parse").pair_with_parses(example(None), "f")


def test_raw_text_falls_back_to_treebank_with_one_warning(monkeypatch):
    warnings = []
    monkeypatch.setattr("dsa.data.prepared.tokenizer.log.warning", warnings.append)
    tokenizer = Tokenizer("binary_parse")
    assert tokenizer("It isn't.") == ["it", "is", "n't", "."]
    tokenizer("Again.")
    (warning,) = warnings
    assert "treebank" in warning


def test_the_other_tokenizers_read_no_parse():
    row = example((PARSE, "( No . )"))
    reads = list(Tokenizer("treebank").pair_with_parses(row, "f"))
    assert reads == [("Two (2) are embracing.", None), ("No.", None)]


TEXTS = ["a b a", "", "c", "b d"]


def test_words_are_numbered_by_their_first_use():
    words, sentences = tokenize_all(Tokenizer("whitespace"), TEXTS)
    assert words == ["a", "b", "c", "d"]
    assert sentences.ids.tolist() == [0, 1, 0, 2, 1, 3]
    assert sentences.offsets.tolist() == [0, 3, 3, 4, 6]


def test_chunks_in_other_processes_give_the_same(monkeypatch):
    texts = [f"word{n % 13} of text{n}" for n in range(101)]
    words, sentences = tokenize_all(Tokenizer("treebank"), texts)
    monkeypatch.setattr("dsa.data.prepared.tokenizer.SENTENCES_PER_CHUNK", 17)
    chunked_words, chunked = tokenize_all(Tokenizer("treebank"), texts)
    assert chunked_words == words
    np.testing.assert_array_equal(chunked.ids, sentences.ids)
    np.testing.assert_array_equal(chunked.offsets, sentences.offsets)


def test_an_empty_text_has_no_tokens():
    words, sentences = tokenize_all(Tokenizer("whitespace"), [])
    assert words == [] and len(sentences) == 0


def test_brackets_can_stay_as_the_parse_has_them():
    tokenize = Tokenizer("binary_parse", lowercase=False, keep_brackets=True)
    assert tokenize("", PARSE) == "Two -LRB- 2 -RRB- are embracing .".split()


def test_boundaries_are_among_the_tokens_that_are_read():
    tokenize = Tokenizer("whitespace", boundaries=["_BOS_", "_EOS_"])
    assert tokenize("A b") == ["_BOS_", "a", "b", "_EOS_"]
    assert tokenize("") == ["_BOS_", "_EOS_"]
    short = Tokenizer("whitespace", max_tokens=4, boundaries=["_BOS_", "_EOS_"])
    assert short("a b c d") == ["_BOS_", "a", "b", "_EOS_"]


def test_tokens_are_split_further_as_in_disans_code():
    tokenize = Tokenizer("whitespace", extra_split=True)
    assert tokenize("T-shirt 's 90° no") == [
        *("t", "-", "shirt", "", "'", "s", "90", "°", "", "no")
    ]


def test_every_setting_that_affects_tokens_is_part_of_the_fingerprint():
    settings = {
        "lowercase": False,
        "max_tokens": 9,
        "boundaries": ["<s>", "</s>"],
        "keep_brackets": True,
        "extra_split": True,
    }
    forms = [Tokenizer().settings, Tokenizer("whitespace").settings]
    forms += [Tokenizer(**{name: value}).settings for name, value in settings.items()]
    assert len({str(form) for form in forms}) == 7
