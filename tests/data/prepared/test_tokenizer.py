import pytest

from dsa.data.corpora.example import Example
from dsa.data.prepared.tokenizer import Tokenizer, parse_leaves, treebank_tokens
from dsa.errors import InputError

PARSE = "( ( Two -LRB- 2 -RRB- ) ( ( are ( embracing ) ) . ) )"


def example(parses):
    return Example(("Two (2) are embracing.", "No."), None, "1", None, parses, 4)


def test_treebank_splits_sentences_clitics_and_punctuation():
    text = "The man isn't here. He's (away), isn't he?"
    assert treebank_tokens(text) == (
        "The man is n't here . He 's ( away ) , is n't he ?".split()
    )


def test_an_empty_text_has_no_token():
    assert treebank_tokens("  \n ") == []


def test_parse_leaves_have_brackets_for_bracket_names():
    assert parse_leaves(PARSE) == "Two ( 2 ) are embracing .".split()


def test_lower_casing_is_a_switch():
    assert Tokenizer("whitespace", lowercase=False)("A Man") == ["A", "Man"]
    assert Tokenizer("whitespace", lowercase=True)("A Man") == ["a", "man"]


def test_binary_parse_takes_the_leaves_of_the_corpus():
    tokenizer = Tokenizer("binary_parse", lowercase=False)
    reads, _ = tokenizer.what_it_reads(example((PARSE, "( No . )")), "f")
    assert tokenizer(*reads) == "Two ( 2 ) are embracing .".split()


def test_binary_parse_stops_at_a_row_without_parse_and_names_treebank():
    with pytest.raises(InputError, match="f, line 4: no binary parse.*treebank"):
        Tokenizer("binary_parse").what_it_reads(example(None), "f")


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
    reads = list(Tokenizer("treebank").what_it_reads(row, "f"))
    assert reads == [("Two (2) are embracing.", None), ("No.", None)]
