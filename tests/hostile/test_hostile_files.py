"""Whatever a file holds, the answer is right or one line of error, soon."""

import json
import shutil

import numpy as np
import pytest

from dsa.data.corpora.catalogue import CORPORA
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vector_files import read_vectors
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.inference.row_reading import read_labelled_rows
from tests.support import hostile_files as hostile
from tests.support import hostile_vectors
from tests.support.corpora import rows, write_jsonl
from tests.support.hostile_checks import files_below, no_hang, refused, written  # noqa: F401


def test_there_are_enough_of_them():
    corpora = len(hostile.GOOD_CORPORA) + len(hostile.BAD_CORPORA)
    vectors = len(hostile_vectors.GOOD_VECTORS) + len(hostile_vectors.BAD_VECTORS)
    assert corpora + vectors + len(hostile.BAD_YAML) >= 60


@pytest.mark.parametrize("name", hostile.GOOD_CORPORA)
def test_odd_corpora_are_read_rightly(name, tmp_path):
    file, content, premise = hostile.GOOD_CORPORA[name]
    path = written(tmp_path, file, content)
    examples = list(CORPORA["snli"].read_examples(path))
    assert examples and all(example.texts[0] == premise for example in examples)
    corpus = prepare(path, CORPORA["snli"], Tokenizer())
    expected = [token.lower() for token in Tokenizer()(premise)] or [None]
    first = corpus.sentences.ids[slice(*corpus.sentences.offsets[:2])]
    assert [corpus.words[i] if i >= 0 else None for i in first] == expected
    again = prepare(path, CORPORA["snli"], Tokenizer())
    assert again.words == corpus.words and again.ids == corpus.ids
    words = Vocabulary(corpus.words)
    assert Vocabulary.from_text(words.to_text()).words == words.words


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["2,000 words", "emoji", "a NUL in a table", "an empty sentence"]
)
def test_odd_corpora_are_evaluated_and_predicted(
    name, scripts, run_copy, tmp_path, capsys
):
    file, content, _ = hostile.GOOD_CORPORA[name]
    path = written(tmp_path, file, content)
    assert scripts.evaluate.main([str(run_copy), "--file", str(path)]) == 0
    capsys.readouterr()
    assert scripts.predict.main([str(run_copy), "--file", str(path)]) == 0
    printed = [json.loads(x) for x in capsys.readouterr().out.splitlines()]
    assert all(sum(x["probabilities"].values()) == pytest.approx(1) for x in printed)


@pytest.mark.parametrize("name", hostile.BAD_CORPORA)
def test_bad_corpora_are_refused(name, tmp_path):
    file, content, words = hostile.BAD_CORPORA[name]
    path = written(tmp_path, file, content)
    with pytest.raises(InputError) as error:
        corpus = prepare(path, CORPORA["snli"], Tokenizer())
        read_labelled_rows(None, None, corpus)
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "name", ["labels alone without", "a cut character", "5,000 words", "deep nesting"]
)
def test_bad_corpora_are_one_line_of_error(name, scripts, run_copy, tmp_path, capsys):
    file, content, words = hostile.BAD_CORPORA[name]
    path = written(tmp_path, file, content)
    before = files_below(tmp_path)
    code = scripts.evaluate.main([str(run_copy), "--file", str(path)])
    refused(code, capsys, words)
    assert files_below(tmp_path) == before


def test_a_gzip_cut_at_every_hundredth_byte(tmp_path):
    random = np.random.default_rng(0)
    pairs = rows(200, extra="".join(map(chr, random.integers(97, 123, 50))))
    for number, pair in enumerate(pairs):
        pair["sentence1"] += " ".join(map(str, random.integers(0, 10**9, 9)))
        pair["pairID"] = str(number)
    whole = write_jsonl(tmp_path / "whole.jsonl.gz", pairs).read_bytes()
    cuts = range(0, len(whole), 100)
    assert len(cuts) > 50
    for cut in cuts:
        path = written(tmp_path, "cut.jsonl.gz", whole[:cut])
        with pytest.raises(InputError, match=r"cut\.jsonl\.gz"):
            list(CORPORA["snli"].read_examples(path))


@pytest.mark.parametrize("name", hostile_vectors.BAD_VECTORS)
def test_bad_vector_files_are_one_line_of_error(
    name, scripts, finished_frozen, tmp_path, capsys
):
    file, content, words = hostile_vectors.BAD_VECTORS[name]
    path = written(tmp_path, file, content)
    for split in ("train", "dev"):
        shutil.copy(finished_frozen / f"{split}.jsonl", tmp_path)
    code = scripts.train.main(
        [
            *(str(finished_frozen / "small.yaml"), "--data-root", str(tmp_path)),
            *("--run", str(tmp_path / "run"), "--set", f"embedding.path={file}"),
            "embedding.frequent_words=9",
        ]
    )
    refused(code, capsys, words)
    assert path.read_bytes() == content
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", hostile_vectors.GOOD_VECTORS)
def test_odd_vector_files_are_read_rightly(name, tmp_path):
    file, content = hostile_vectors.GOOD_VECTORS[name]
    path = written(tmp_path, file, content)
    vectors = read_vectors(path, 4, ["a", "man", "dog"], frequent=9)
    assert vectors["a"].tolist() == [1, 0, 0, 1]
    assert vectors["man"].tolist() == [0, 1, 0, 1]
    assert vectors["dog"].tolist() == [0.5, 0.5, 1, 0]
    assert "" not in vectors


@pytest.mark.parametrize("name", hostile.BAD_YAML)
def test_bad_configs_are_one_line_of_error(name, scripts, tmp_path, capsys):
    text, words = hostile.BAD_YAML[name]
    marker = tmp_path / "marker"
    text = text.replace("MARKER", str(marker))
    path = written(tmp_path, "a.yaml", text.encode())
    run = tmp_path / "run"
    code = scripts.train.main([str(path), "--run", str(run)])
    error = capsys.readouterr().err
    assert code == 2 and words in error, error
    assert all(each.count("a.yaml") == 1 for each in error.splitlines())
    assert len(error) < 1000 and "Traceback" not in error
    assert not marker.exists() and not run.exists()


def test_a_config_that_is_no_utf8(scripts, tmp_path, capsys):
    path = written(tmp_path, "a.yaml", b"seed: \xff\n")
    refused(scripts.train.main([str(path)]), capsys, "a.yaml: not readable")


def test_an_object_array_in_the_cache_is_not_loaded(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("DSA_CACHE", str(cache))
    path = write_jsonl(tmp_path / "a.jsonl", rows(5))
    prepare(path, CORPORA["snli"], Tokenizer())
    (entry,) = cache.iterdir()
    hostile.object_array(entry, tmp_path / "marker")
    assert len(prepare(path, CORPORA["snli"], Tokenizer())) == 5
    assert not (tmp_path / "marker").exists()
