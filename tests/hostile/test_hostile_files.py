"""Tests of corpora and configs that are damaged, unusual or malicious."""

import json
import shutil

import pytest

from dsa.data.corpora.catalogue import CORPORA
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.inference.row_reading import read_labelled_rows
from tests.support import hostile_files as hostile
from tests.support.corpora import rows, write_jsonl
from tests.support.hostile_checks import (  # noqa: F401
    assert_error,
    list_files,
    time_limit,
    write_file,
)


@pytest.mark.parametrize("name", hostile.GOOD_CORPORA)
def test_unusual_corpora_are_read(name, tmp_path):
    file, content, premise = hostile.GOOD_CORPORA[name]
    path = write_file(tmp_path, file, content)
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
def test_unusual_corpora_are_evaluated_and_predicted(
    name, scripts, run_copy, tmp_path, capsys
):
    file, content, _ = hostile.GOOD_CORPORA[name]
    path = write_file(tmp_path, file, content)
    assert scripts.evaluate.main([str(run_copy), "--file", str(path)]) == 0
    capsys.readouterr()
    assert scripts.predict.main([str(run_copy), "--file", str(path)]) == 0
    printed = [json.loads(x) for x in capsys.readouterr().out.splitlines()]
    assert all(sum(x["probabilities"].values()) == pytest.approx(1) for x in printed)


@pytest.mark.parametrize("name", hostile.BAD_CORPORA)
def test_damaged_corpora_are_input_errors(name, tmp_path):
    file, content, message = hostile.BAD_CORPORA[name]
    path = write_file(tmp_path, file, content)
    with pytest.raises(InputError) as error:
        corpus = prepare(path, CORPORA["snli"], Tokenizer())
        read_labelled_rows(None, None, corpus)
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "name", ["only unlabelled rows", "a truncated character", "5,000 words", "UTF-16"]
)
def test_evaluate_prints_one_line_for_a_damaged_corpus(
    name, scripts, run_copy, tmp_path, capsys
):
    file, content, message = hostile.BAD_CORPORA[name]
    path = write_file(tmp_path, file, content)
    before = list_files(tmp_path)
    code = scripts.evaluate.main([str(run_copy), "--file", str(path)])
    assert_error(code, capsys, message)
    assert list_files(tmp_path) == before


def test_a_damaged_vector_file_ends_a_training_before_it_starts(
    finished_frozen, scripts, tmp_path, capsys
):
    for split in ("train", "dev"):
        shutil.copy(finished_frozen / f"{split}.jsonl", tmp_path)
    content = b"a 1 0 0 1\nman 0 1 0 1\ncat 1\n"
    path = write_file(tmp_path, "v.txt", content)
    code = scripts.train.main(
        [
            *(str(finished_frozen / "small.yaml"), "--data-root", str(tmp_path)),
            *("--run", str(tmp_path / "run"), "--set", "embedding.path=v.txt"),
            "embedding.frequent_words=9",
        ]
    )
    assert_error(
        code, capsys, "v.txt, line 3: expected 4 numbers after the word. Received: 1"
    )
    assert path.read_bytes() == content
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", hostile.BAD_YAML)
def test_a_damaged_config_is_an_input_error(name, scripts, tmp_path, capsys):
    text, message = hostile.BAD_YAML[name]
    marker = tmp_path / "marker"
    text = text.replace("MARKER", str(marker))
    path = write_file(tmp_path, "a.yaml", text.encode())
    run = tmp_path / "run"
    code = scripts.train.main([str(path), "--run", str(run)])
    error = capsys.readouterr().err
    assert code == 2 and message in error, error
    assert all(each.count("a.yaml") == 1 for each in error.splitlines())
    assert len(error) < 1000 and "Traceback" not in error
    assert not marker.exists() and not run.exists()


def test_a_config_in_another_encoding_is_an_error(scripts, tmp_path, capsys):
    path = write_file(tmp_path, "a.yaml", b"seed: \xff\n")
    assert_error(scripts.train.main([str(path)]), capsys, "a.yaml: not readable")


def test_an_object_array_in_the_cache_is_not_loaded(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("DSA_CACHE", str(cache))
    path = write_jsonl(tmp_path / "a.jsonl", rows(5))
    prepare(path, CORPORA["snli"], Tokenizer())
    (entry,) = cache.iterdir()
    hostile.object_array(entry, tmp_path / "marker")
    assert len(prepare(path, CORPORA["snli"], Tokenizer())) == 5
    assert not (tmp_path / "marker").exists()
