"""Readers of SST, TREC, CR, MPQA, SUBJ, SICK, STS-B, MSRP and Quora."""

import gzip
import logging

import numpy as np
import pytest

from dsa.data.corpora.catalogue import CORPORA
from dsa.data.corpora.sst import PHRASE, SENTENCE, SSTOptions
from dsa.errors import InputError

SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
QUORA = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
READERS = (*CORPORA, "sst_phrases")
PHRASES = SSTOptions(phrases=True).adapt_corpus(CORPORA["sst"])
MSRP = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"


def read(tmp_path, reader, content, name="file"):
    path = tmp_path / name
    data = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    corpus = PHRASES if reader == "sst_phrases" else CORPORA[reader]
    return list(corpus.read_examples(path))


def test_a_tree_is_its_words_and_the_label_of_its_root(tmp_path):
    tree = "(4 (2 It) (4 (2 's) (4 (2 -LRB-) (3 good\\/b\\*d))))"
    (example,) = read(tmp_path, "sst", tree)
    assert example.texts == ("It 's ( good/b*d",)
    assert (example.label, example.group) == ("very positive", None)


def test_phrases_are_all_nodes_of_the_trees(tmp_path):
    trees = "(3 (2 It) (4 (2 is) (4 good)))\n(1 (1 Bad))\n"
    found = read(tmp_path, "sst_phrases", trees, "trees.gz")
    assert [(*e.texts, e.label, e.group) for e in found] == [
        ("It is good", "positive", "sentence"),
        ("It", "neutral", "phrase"),
        ("is good", "very positive", "phrase"),
        ("is", "neutral", "phrase"),
        ("good", "very positive", "phrase"),
        ("Bad", "negative", "sentence"),
        ("Bad", "negative", "phrase"),
    ]
    assert [e.row for e in found] == [1] * 5 + [2] * 2


def test_sentences_and_phrases_that_are_not_neutral_are_repeated():
    groups = [SENTENCE, PHRASE, PHRASE, SENTENCE]
    labels = np.array([2, 2, 1, 0], np.int8)
    rows, task = np.array([0, 1, 2]), CORPORA["sst"].task
    options = SSTOptions(phrases=True, oversample=3)
    repeated = options.repeat_rows(rows, labels, groups, task)
    assert repeated.tolist() == [0, 0, 0, 1, 2, 2, 2]
    assert SSTOptions().repeat_rows(rows, labels, groups, task) is rows


def test_lines_with_labels_may_contain_any_text(tmp_path):
    content = "1 good \x85 one\n0 \n0 a  b\n"  # U+0085 ends no line
    found = read(tmp_path, "cr", content)
    assert [(*e.texts, e.label) for e in found] == [
        ("good \x85 one", "positive"),
        ("", "negative"),
        ("a  b", "negative"),
    ]
    assert read(tmp_path, "subj", "0 a\n")[0].label == "subjective"


def test_questions_are_latin_1(tmp_path):
    content = b"DESC:def What is a caf\xe9 \xf0 ?\nNUM:count How many ?\n"
    first, second = read(tmp_path, "trec", content)
    assert first.texts == ("What is a café ð ?",)
    assert (first.label, first.group, second.label) == ("DESC", "def", "NUM")


def test_sick_is_a_score_or_a_judgment(tmp_path):
    content = SICK + "7\tA man\tNo man\t3.6\tCONTRADICTION\r\n"
    (scored,) = read(tmp_path, "sick", content)
    assert scored.texts == ("A man", "No man")
    assert (scored.label, scored.id) == (3.6, "7")
    (judged,) = read(tmp_path, "sick_entailment", content)
    assert judged.label == "contradiction"


def test_stsb_has_seven_to_nine_fields_without_quoting(tmp_path):
    start = 'news\tMSRpar\t2012\t0003\t2.500\t"A man\tHe said "no"'
    content = f"{start}\n{start}\thttp://a\thttp://b\n"
    first, second = read(tmp_path, "stsb", content)
    assert first.texts == second.texts == ('"A man', 'He said "no"')
    assert (first.label, first.group, first.id) == (2.5, "news", "MSRpar-2012-0003")


def test_msrp_has_a_byte_order_mark_and_no_quoting(tmp_path):
    content = "\ufeff" + MSRP + '1\t5\t6\t"A man\tHe said "no"\n0\t5\t7\ta\tb\n'
    first, second = read(tmp_path, "msrp", content)
    assert first.texts == ('"A man', 'He said "no"')
    assert (first.label, first.id, second.label) == ("paraphrase", "5-6", "different")


@pytest.mark.parametrize("delimiter", ["\t", ","])  # of Quora and of Kaggle
def test_quoted_fields_of_quora_may_contain_line_ends_or_be_empty(tmp_path, delimiter):
    content = (
        QUORA + '"0"\t"1"\t"2"\t"What, ""is""\nthat?"\t""\t"1"\n1\t3\t4\ta\tb\t0\n'
    )
    first, second = read(tmp_path, "quora", content.replace("\t", delimiter))
    assert first.texts == ('What, "is"\nthat?', "")
    assert (first.label, first.id, first.row) == ("duplicate", "0", 1)
    assert (second.texts, second.label, second.row) == (("a", "b"), "different", 2)


def test_the_bimpm_split_has_neither_header_nor_quoting(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    content = b'1\tWhat "is\tthat \xe2\x82 ?\t18\n0\ta\tb\t19\n'
    with caplog.at_level("WARNING", logger="dsa"):
        first, second = read(tmp_path, "quora", content)
    assert "file: 1 rows contain invalid UTF-8" in caplog.text
    assert first.texts == ('What "is', "that \ufffd ?")
    assert (first.label, first.id, second.label) == ("duplicate", "18", "different")


@pytest.mark.parametrize(
    ("reader", "content", "message"),
    [
        ("sst", "(3 (2 a) (2 b)\n", "line 1: malformed tree"),
        ("sst", "(3 (2 a))\n(3 (2 a)))\n", "line 2: malformed tree"),
        ("sst", "(2 a)\n\n", "line 2: malformed tree"),
        ("sst", "(5 (2 a))\n", "line 1: the label of a node must be 0 to 4"),
        ("sst_phrases", "(3 (x a))\n", "line 1: the label of a node must be 0 to 4"),
        ("sst", "(3 )\n", "line 1: every node of the tree must"),
        ("sst", "(3 ( It) (4 works))\n", "line 1: the label of a node must be 0 to 4"),
        ("sst", "(3 (2 ) (4 works))\n", "line 1: every node of the tree must"),
        ("sst", "(" * 5000, "line 1: malformed tree"),
        ("sst", "(2 " * 5000 + "a" + ")" * 5000, "line 1: malformed tree: "),
        ("cr", "2 good\n", "line 1: the line must start with a label"),
        ("cr", "1 a\ngood\n", "line 2: the line must start with a label"),
        ("cr", "1" * 5000 + " a\n", "line 1: the line must start with a label"),
        ("cr", "² a\n", "line 1: the line must start with a label"),
        ("cr", b"1 \xff\n", "line 1: not UTF-8"),
        ("trec", "FOO:bar what ?\n", "line 1: unknown class 'FOO'"),
        ("trec", "NUM:dist\n", "line 1: the line must contain a question"),
        ("trec", "NUM:dist what ?\nHUM:ind café ?\n", "line 2: expected Latin-1"),
        (
            "sick",
            SICK + "1\ta\tb\t5.1\tNEUTRAL\n",
            "row 1: the score must be a number from 1 to 5",
        ),
        (
            "sick",
            SICK + "1\ta\tb\tnan\tNEUTRAL\n",
            "row 1: the score must be a number from 1 to 5",
        ),
        (
            "sick",
            SICK + "1\ta\tb\tx\tNEUTRAL\n",
            "row 1: the score must be a number from 1 to 5",
        ),
        (
            "sick",
            SICK + "1\ta\tb\t\u0663\tNEUTRAL\n",
            "row 1: the score must be a number from 1 to 5",
        ),
        (
            "sick",
            SICK + "1\ta\tb\t0_3\tNEUTRAL\n",
            "row 1: the score must be a number from 1 to 5",
        ),
        ("sick", SICK + "1\ta\tb\t5\n", "row 1: expected 5 fields, .*: 4"),
        ("sick", "a\tb\n", ": the header line must contain the columns pair_ID"),
        ("sick", SICK, "no rows"),
        ("sick_entailment", SICK + "1\ta\tb\t5\tMAYBE\n", "unknown judgment 'MAYBE'"),
        (
            "stsb",
            "a\tb\tc\td\t5.5\te\tf\n",
            "line 1: the score must be a number from 0 to 5",
        ),
        ("stsb", "a\tb\tc\td\t5\te\n", "line 1: .* Received: 6"),
        ("msrp", MSRP + "2\t5\t6\ta\tb\n", "row 1: 'Quality' must be 0 or 1"),
        ("quora", "2\ta\tb\t1\n", "row 1: the label must be 0 or 1"),
        ("quora", "1\ta\tb\n", "the line must contain a label, two questions and"),
        ("quora", QUORA + "1\t2\t3\ta\tb\n", "row 1: expected 6 fields, as"),
        ("quora", QUORA + '1\t2\t3\t"a\tb\t0\n', "row 1: unexpected end of data"),
        ("quora", QUORA, "no rows"),
        *((reader, "", "no rows") for reader in READERS if "nli" not in reader),
    ],
)
def test_a_malformed_file_raises_an_error_with_file_and_line(
    tmp_path, reader, content, message
):
    with pytest.raises(InputError, match=f"file.*{message}"):
        read(tmp_path, reader, content)


def test_an_official_file_with_missing_rows_raises_an_error():
    trec = CORPORA["trec"]
    trec.check_row_count("trec/TREC_10.label.gz", 500)
    trec.check_row_count("trec/mine.label", 3)
    with pytest.raises(InputError, match="expected 500 rows, .* Received: 499"):
        trec.check_row_count("trec/TREC_10.label", 499)
    with pytest.raises(InputError, match="expected 10,000 rows, .* Received: 9,842"):
        CORPORA["snli"].check_row_count("snli_1.0_dev.jsonl.gz", 9_842)
    with pytest.raises(InputError, match="318,582 rows, .* Received: 8,544"):
        PHRASES.check_row_count("sst/trees/train.txt", 8_544)


LONG = "a" * 50_001


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        ("sst", f"(2 {LONG})\n"),
        ("sst_phrases", f"(2 {LONG})\n"),
        ("cr", f"1 {LONG}\n"),
        ("trec", f"NUM:dist {LONG}\n"),
        ("sick", f"{SICK}1\ta\t{LONG}\t5\tNEUTRAL\n"),
        ("sick_entailment", f"{SICK}1\ta\t{LONG}\t5\tNEUTRAL\n"),
        ("stsb", f"a\tb\tc\td\t5\t{LONG}\tf\n"),
        ("msrp", f"{MSRP}1\t5\t6\ta\t{LONG}\n"),
        ("quora", f"1\ta\t{LONG}\t1\n"),
    ],
)
def test_a_text_of_more_than_50000_characters_raises_an_error(
    tmp_path, reader, content
):
    with pytest.raises(InputError, match=r"file, row \d: .* Received: 50,001"):
        read(tmp_path, reader, content)
