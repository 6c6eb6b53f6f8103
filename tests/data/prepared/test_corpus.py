import json
import logging
from collections import Counter

import numpy as np
import pytest

from dsa.data.corpora.catalogue import CORPORA, Corpus
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.system.folders import get_cache_folder
from tests.support.corpora import rows, write_jsonl


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def prepared(path, tokenize=None):
    return prepare(path, CORPORA["snli"], tokenize or Tokenizer())


def tokens_of(corpus, sentence):
    ids = corpus.sentences.ids[
        slice(*corpus.sentences.offsets[sentence : sentence + 2])
    ]
    return [corpus.words[id] if id >= 0 else None for id in ids]


def test_every_row_is_kept_and_every_distinct_sentence_tokenized_once(tmp_path):
    corpus = prepared(write_jsonl(tmp_path / "a.jsonl", rows(13)))
    assert len(corpus) == 13
    assert len(corpus.sentences) == 12  # six pairs, repeated
    assert tokens_of(corpus, corpus.sentence_indices[7, 0]) == [
        "two",
        "dogs",
        "run",
        "fast",
        ".",
    ]
    assert tokens_of(corpus, corpus.sentence_indices[7, 1]) == ["animals", "run", "."]
    assert corpus.labels.tolist()[:3] == [2, 0, 1]
    assert corpus.ids[12] == "p12"


def test_words_are_ordered_and_counted_by_their_frequency_in_rows(tmp_path):
    corpus = prepared(write_jsonl(tmp_path / "a.jsonl", rows(13)))  # repeated sentences
    counts = corpus.word_counts()
    assert (np.diff(counts) <= 0).all()
    sentences = corpus.sentence_indices.ravel()
    expected = Counter(
        word for sentence in sentences for word in tokens_of(corpus, sentence)
    )
    assert expected["."] == 26
    assert dict(zip(corpus.words, counts, strict=True)) == expected


def test_a_sentence_without_token_is_one_unknown_token_and_counted(tmp_path):
    corpus = prepared(write_jsonl(tmp_path / "a.jsonl", rows(2, sentence2=" ")))
    assert corpus.empty == 1
    assert tokens_of(corpus, corpus.sentence_indices[1, 1]) == [None]


def test_the_cache_gives_the_same_corpus(tmp_path, cache, monkeypatch):
    path = write_jsonl(tmp_path / "a.jsonl", rows(5, genre="g"))
    first = prepared(path)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(
        "dsa.data.prepared.corpus.from_examples", None
    )  # must not be needed
    second = prepared(path)
    for name in ("sentence_indices", "labels"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    for name in ("words", "ids", "groups", "empty", "fingerprint"):
        assert getattr(first, name) == getattr(second, name)
    np.testing.assert_array_equal(first.sentences.ids, second.sentences.ids)


def test_other_content_and_another_tokenizer_are_other_cache_entries(tmp_path, cache):
    path = write_jsonl(tmp_path / "a.jsonl", rows(5))
    prepared(path)
    assert "Two" in prepared(path, Tokenizer("whitespace", lowercase=False)).words
    write_jsonl(path, rows(6))
    assert len(prepared(path)) == 6
    assert len(list(cache.iterdir())) == 3


@pytest.mark.parametrize("damage", [b"", b"no archive", None])
def test_a_damaged_cache_entry_is_rebuilt(tmp_path, cache, damage):
    path = write_jsonl(tmp_path / "a.jsonl", rows(5))
    prepared(path)
    (entry,) = cache.iterdir()
    entry.write_bytes(entry.read_bytes()[:-200] if damage is None else damage)
    assert len(prepared(path)) == 5


# what had a valid form, and ended in a traceback or in another corpus
CONTENTS = {
    "tokens beyond the words": lambda a, r: a.update(tokens=a["tokens"] + 10**6),
    "tokens that are floats": lambda a, r: a.update(tokens=a["tokens"] + 0.5),
    "texts beyond the sentences": lambda a, r: a.update(texts=a["texts"] + 99),
    "other labels": lambda a, r: a.update(labels=a["labels"] + 1),
    "offsets that fall": lambda a, r: a.update(offsets=a["offsets"][::-1]),
    "a word that is null": lambda a, r: r["words"].__setitem__(0, None),
    "too few groups": lambda a, r: r["groups"].pop(),
    "no words": lambda a, r: r.pop("words"),
    "nothing": lambda a, r: None,  # only the checksum is gone
}


@pytest.mark.parametrize("name", CONTENTS)
def test_a_changed_cache_entry_is_rebuilt_with_one_log_line(
    name, tmp_path, cache, caplog
):
    logging.getLogger("dsa").propagate = True
    path = write_jsonl(tmp_path / "a.jsonl", rows(5))
    before = prepared(path)
    (entry,) = cache.glob("*.npz")
    with np.load(entry) as file:
        arrays = dict(file)
    checksum = arrays.pop("checksum")
    record = json.loads(arrays.pop("record").tobytes())
    CONTENTS[name](arrays, record)
    arrays["record"] = np.frombuffer(json.dumps(record).encode(), np.uint8)
    if name != "nothing":
        arrays["checksum"] = checksum
    np.savez(entry, **arrays)
    caplog.clear()
    again = prepared(path)
    assert (again.words, again.ids, again.groups) == (
        before.words,
        before.ids,
        before.groups,
    )
    np.testing.assert_array_equal(again.sentences.ids, before.sentences.ids)
    np.testing.assert_array_equal(again.labels, before.labels)
    assert [r.message for r in caplog.records if "recomputed: " in r.message] != []
    caplog.clear()
    prepared(path)
    assert "recomputed" not in caplog.text


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "file" / "cache"))
    logging.getLogger("dsa").propagate = True
    assert len(prepared(write_jsonl(tmp_path / "a.jsonl", rows(5)))) == 5
    assert "cannot be cached" in caplog.text


def test_rows_and_those_without_label_are_counted_in_words(tmp_path):
    mixed = [*rows(3), *rows(2, gold_label="-")]
    corpus = prepared(write_jsonl(tmp_path / "a.jsonl", mixed))
    assert corpus.labelled.tolist() == [0, 1, 2]
    assert corpus.describe().startswith("5 rows, 2 without label, ")
    whole = prepared(write_jsonl(tmp_path / "b.jsonl", rows(3)))
    assert whole.describe().startswith("3 rows, all labelled, ")


def test_a_corpus_without_parses_raises_an_error_if_parses_are_required(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", rows(1))
    with pytest.raises(InputError, match="a.jsonl, row 1: .* requires binary parses"):
        prepared(path, Tokenizer("binary_parse"))


def test_the_same_text_with_two_parses_is_two_sentences(tmp_path):
    texts = {"sentence1": "a b", "sentence2": "c"}
    parses = [
        {"sentence1_binary_parse": p, "sentence2_binary_parse": "c"}
        for p in ("( a b )", "( ab )")
    ]
    path = write_jsonl(
        tmp_path / "a.jsonl", [{"gold_label": "-", **texts, **p} for p in parses]
    )
    corpus = prepared(path, Tokenizer("binary_parse"))
    assert [tokens_of(corpus, s) for s in corpus.sentence_indices[:, 0]] == [
        ["a", "b"],
        ["ab"],
    ]


def test_the_cache_folder_is_the_variable(cache):
    assert get_cache_folder() == cache


READER = """
from dsa.data.corpora.example import Example


def read_lines(path, task):
    for number, line in enumerate(open(path), start=1):
        yield Example((line{change},), task.labels[0], None, None, None, number)
"""


def corpus_from_outside(folder, change):
    """A corpus whose reader is in a file outside the package."""
    path = folder / "own_reader.py"
    path.write_text(READER.format(change=change))
    names = {}
    exec(compile(path.read_text(), path, "exec"), names)
    return Corpus("own", CORPORA["cr"].task, names["read_lines"])


def test_a_changed_reader_from_outside_is_another_cache_entry(tmp_path, cache):
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    whitespace = Tokenizer("whitespace")
    first = prepare(path, corpus_from_outside(tmp_path, ""), whitespace)
    assert first.words == ["one", "two"]
    second = prepare(path, corpus_from_outside(tmp_path, " + ' x'"), whitespace)
    assert second.words == ["x", "one", "two"]
    assert len(list(cache.glob("*.npz"))) == 2


def test_a_reader_without_a_file_is_not_cached(tmp_path, cache):
    corpus = corpus_from_outside(tmp_path, "")
    (tmp_path / "own_reader.py").unlink()
    (tmp_path / "a.txt").write_text("one\n")
    assert len(prepare(tmp_path / "a.txt", corpus, Tokenizer("whitespace"))) == 1
    assert not list(cache.glob("*.npz"))
