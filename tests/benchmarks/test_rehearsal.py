"""A rehearsal on few pairs, and the data that it makes."""

import json
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dsa.data.corpora.catalogue import get_corpus
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vector_files import read_vectors


@pytest.fixture
def data(monkeypatch):
    monkeypatch.syspath_prepend("benchmarks")
    import full_size_data

    yield full_size_data
    for name in ("full_size_data", "preparation", "vectors", "measuring"):
        sys.modules.pop(name, None)


def test_sentences_are_as_long_as_those_counted(data):
    sentences = data.Sentences(9, 40, [0, 0, 3, 0, 1], np.random.default_rng(0))
    texts = [sentences.draw() for _ in range(400)]
    tokens = Counter(1 + len(text.removesuffix(".").split()) for text in texts)
    assert set(tokens) == {2, 4}
    assert tokens[2] == pytest.approx(300, abs=30)
    words = Counter(word for text in texts for word in text[:-1].split())
    # 9 words on 40 lines, the full stop among them; the first is most frequent
    assert sorted(words, key=words.get)[-1] == "w4"
    assert set(words) == {f"w{line}" for line in (4, 9, 14, 19, 24, 29, 34, 39)}


def test_pairs_are_rows_of_snli(data, tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    random = np.random.default_rng(0)
    counted = json.loads(data.LENGTHS.read_bytes())["pairs_by_tokens"]
    sides = [data.Sentences(50, 90, counts, random) for counts in counted]
    path = tmp_path / "train.jsonl"
    data.write_pairs(path, *sides, pairs=600, unlabelled=2)
    corpus = prepare(path, get_corpus("snli"), Tokenizer())
    assert (len(corpus), len(corpus.labelled)) == (602, 600)
    assert np.bincount(corpus.labels[:600]).tolist() == [200, 200, 200]
    assert (
        len(set(corpus.sentence_indices[:600, 0])) <= 200
    )  # three pairs of each premise
    premises, hypotheses = corpus.sentences.lengths[corpus.sentence_indices].mean(
        axis=0
    )
    assert premises == pytest.approx(14.1, abs=1.5)
    assert hypotheses == pytest.approx(8.3, abs=0.7)
    counts = data.count_lengths(corpus)
    assert [sum(side) for side in counts] == [600, 600]


@pytest.mark.parametrize("name", ["invented.300d.txt", "invented.300d.zip"])
def test_every_word_of_the_corpus_has_a_vector(data, tmp_path, name):
    data.write_vector_file(tmp_path / name, 30, seed=1)
    words = {data.name_word(line) for line in range(30)}
    vectors = read_vectors(tmp_path / name, 300, words)
    assert set(vectors) == words
    assert all(np.abs(vector).max() < 3 for vector in vectors.values())
    assert zipfile.is_zipfile(tmp_path / name) == name.endswith("zip")


@pytest.mark.exhaustive
def test_a_tiny_rehearsal_kills_a_training_and_goes_on(tmp_path):
    out = tmp_path / "rehearsal.json"
    line = [sys.executable, "benchmarks/rehearsal.py", "--tiny", "--anyway", "--zip"]
    line += ["--folder", str(tmp_path), "--out", str(out)]
    ended = subprocess.run(line, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    record = json.loads(out.read_text())
    assert list(record["figures"]) == [
        "prepare",
        "prepare again",
        "train until kill",
        "resume",
        "evaluate",
    ]
    prepared = record["figures"]["prepare"]
    assert prepared["pairs"]["median"] == 240
    assert record["memory_is_within_6_gibibytes"]
    assert record["preparing_takes_less_than_4_minutes"]
    memory = record["figures"]["resume"]["peak_memory_bytes"]["median"]
    assert 10**8 < memory <= record["largest_memory_bytes"]
    assert str(tmp_path) not in out.read_text()
    assert [path.name for path in Path(tmp_path).iterdir()] == ["rehearsal.json"]
