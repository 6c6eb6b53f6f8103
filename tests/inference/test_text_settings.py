"""A run with every setting of texts and words that released codes have."""

import json
import types

import numpy as np
import pytest

import dsa
from dsa.data.corpora.catalogue import NLI
from dsa.data.corpora.example import Example
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.prepared.views import View
from dsa.inference.preparation import prepare_examples
from tests.support.runs import SMALL_MODEL, write_experiment


@pytest.fixture(scope="module")
def run(scripts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    config = write_experiment(
        folder,
        model=SMALL_MODEL,
        tokenizer={
            "name": "whitespace",
            "boundaries": ["_BOS_", "_EOS_"],
            "extra_split": True,
        },
        embedding={"random": "normal", "random_scale": 0.5},
        training={"max_tokens": "percentile 90", "epochs": 1},
    )
    train = folder / "train.jsonl"
    rows = [json.loads(line) for line in train.read_text().splitlines()]
    rows[0]["sentence1"] += " the dog 's T-shirt"
    rows[0]["sentence2"] += " many" * 40
    rows[1]["sentence1"] = "the dog 's T-shirt"
    train.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = [str(config), "--data-root", str(folder), "--run", str(folder / "run")]
    assert scripts.train.main(arguments) == 0
    return folder / "run"


def test_long_rows_were_left_out(run):
    assert "1 of 30 rows are excluded from training" in (run / "log.txt").read_text()


def test_boundaries_and_empty_tokens_are_words_of_the_run(run):
    words = dsa.load(run).vocabulary.words
    assert words[:2] == ["_BOS_", "_EOS_"]
    assert {"", "'", "s", "-", "t", "shirt"} <= set(words)


def test_a_loaded_run_reads_texts_as_it_learned_them(run):
    trained = dsa.load(run)
    assert trained.tokenizer("T-shirt") == ["_BOS_", "t", "-", "shirt", "_EOS_"]
    answers = trained.predict([("the dog", "a T-shirt"), ("a cat", "the dog")])
    assert len(answers) == 2
    vectors = trained.encode(["the dog", "the dog 's"])
    assert np.isfinite(vectors).all() and abs(vectors[0] - vectors[1]).max() > 1e-6


def test_the_tokens_of_a_row_do_not_depend_on_other_rows():
    trained = types.SimpleNamespace(
        tokenizer=Tokenizer("binary_parse"),
        task=NLI,
        experiment=types.SimpleNamespace(view=View()),
    )
    parses = ("( T - shirt )", "No")
    parsed = Example(("T-shirt", "No"), None, "1", None, parses, 1)
    raw = parsed._replace(parses=None, row=2)
    for rows in ([parsed], [parsed, raw]):
        prepared = prepare_examples(trained, rows, "f")
        sentence = prepared.sentence_indices[0, 0]
        start, end = prepared.sentences.offsets[sentence : sentence + 2]
        words = [prepared.words[word] for word in prepared.sentences.ids[start:end]]
        assert words == ["t", "-", "shirt"]
