"""Bulk inference with trained runs equals `encode` and `predict`."""

import json
import pathlib

import numpy as np
import pytest

import dsa
from dsa.inference.bulk.manifest import PREDICTIONS, VECTORS
from dsa.inference.bulk.worker import load_model
from tests.support.corpora import rows
from tests.support.small_bulk import InThisProcess, make_inference, write_texts

pytestmark = pytest.mark.keras  # run on JAX in CI too
EARLIER = pathlib.Path(__file__).parents[2] / "support/run_of_0_1_0/run"


def compute(folder, output, file, run, **settings):
    inference = make_inference(folder, output, file, run=run, **settings)
    return inference.compute(InThisProcess(load_model))


def test_vectors_equal_those_of_encode(tmp_path):
    texts = [row["sentence1"] for row in rows(23)]
    write_texts(tmp_path / "rows.txt", texts)
    compute(tmp_path, VECTORS, "rows.txt", EARLIER, shard_rows=9)
    vectors = dsa.open_vectors(tmp_path / "out")
    expected = dsa.load(EARLIER).encode(texts)
    np.testing.assert_allclose(vectors, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_new_words_get_the_vectors_of_the_file(finished_frozen, tmp_path):
    texts = [f"a zebra{n} sleeps near the okapi." for n in range(7)]
    known = ["zebra0", "zebra3", "okapi"]
    lines = (f"{word} {n + 1} 0 2 {n}\n" for n, word in enumerate(known))
    (tmp_path / "more.txt").write_text("".join(lines))
    write_texts(tmp_path / "rows.txt", texts)
    run, vectors = finished_frozen / "run", str(tmp_path / "more.txt")
    settings = {"shard_rows": 2, "vectors": vectors}
    manifest = compute(tmp_path, VECTORS, "rows.txt", run, **settings)
    assert manifest.word_vectors_sha256
    expected = dsa.load(run, vectors).encode(texts)
    computed = dsa.open_vectors(tmp_path / "out")
    np.testing.assert_allclose(computed, expected, rtol=1e-5, atol=1e-6)
    without = dsa.load(run).encode(texts)
    assert np.abs(without[0] - expected[0]).max() > 1e-3


def test_predictions_equal_those_of_predict(tmp_path, scripts):
    text = "".join(json.dumps(row) + "\n" for row in rows(11))
    (tmp_path / "pairs.jsonl").write_text(text)
    compute(tmp_path, PREDICTIONS, "pairs.jsonl", EARLIER, shard_rows=4)
    arguments = ["--file", str(tmp_path / "pairs.jsonl"), "--out"]
    arguments.append(str(tmp_path / "once.jsonl"))
    assert scripts.predict.main([str(EARLIER), *arguments]) == 0
    parts = sorted((tmp_path / "out").glob("part-*.jsonl"))
    lines = [line for part in parts for line in part.read_text().splitlines()]
    expected_lines = (tmp_path / "once.jsonl").read_text().splitlines()
    assert len(lines) == len(expected_lines) == 11
    for line, expected_line in zip(lines, expected_lines, strict=True):
        record, expected = json.loads(line), json.loads(expected_line)
        probabilities = record.pop("probabilities")
        assert probabilities == pytest.approx(expected.pop("probabilities"), abs=1e-5)
        assert record == expected
