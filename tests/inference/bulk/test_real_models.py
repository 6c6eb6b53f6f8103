"""Bulk work with trained runs gives what `encode` and `predict` give at once."""

import json
import pathlib

import numpy as np
import pytest

import dsa
from dsa.inference.bulk import worker
from dsa.inference.bulk.bulk_work import BulkWork
from dsa.inference.bulk.shards import PREDICTIONS, VECTORS
from dsa.runs.run_folder import RunFolder
from tests.support.corpora import rows
from tests.support.killed_bulk import InThisProcess

pytestmark = pytest.mark.keras  # run on JAX in CI too
EARLIER = pathlib.Path(__file__).parents[2] / "support/run_of_0_1_0/run"


def test_vectors_are_those_of_encode(tmp_path):
    texts = [row["sentence1"] for row in rows(23)]
    (tmp_path / "rows.txt").write_text("".join(f"{text}\n" for text in texts))
    run = RunFolder(EARLIER)
    work = BulkWork(VECTORS, run, str(tmp_path / "rows.txt"), tmp_path / "out", 9)
    work.do(InThisProcess())
    vectors = dsa.open_vectors(tmp_path / "out", verify=True)
    expected = dsa.load(EARLIER).encode(texts)
    np.testing.assert_allclose(vectors, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_new_words_have_the_vectors_of_the_file(finished_frozen, tmp_path):
    """Those of all shards are looked up once, before the first one."""
    texts = [f"a zebra{n} sleeps near the okapi." for n in range(7)]
    known = ["zebra0", "zebra3", "okapi"]
    lines = (f"{word} {n + 1} 0 2 {n}\n" for n, word in enumerate(known))
    (tmp_path / "more.txt").write_text("".join(lines))
    (tmp_path / "rows.txt").write_text("".join(f"{text}\n" for text in texts))
    run, vectors = finished_frozen / "run", str(tmp_path / "more.txt")
    work = BulkWork(
        VECTORS,
        RunFolder(run),
        str(tmp_path / "rows.txt"),
        tmp_path / "out",
        2,
        vectors=vectors,
    )
    manifest = work.do(InThisProcess())
    assert manifest["settings"]["word_vectors"]
    expected = dsa.load(run, vectors).encode(texts)
    found = dsa.open_vectors(tmp_path / "out")
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    without = dsa.load(run).encode(texts)
    assert np.abs(without[0] - expected[0]).max() > 1e-3


def test_predictions_are_those_of_predict(tmp_path, scripts):
    (tmp_path / "pairs.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows(11))
    )
    file, run = str(tmp_path / "pairs.jsonl"), str(EARLIER)
    work = BulkWork(PREDICTIONS, RunFolder(run), file, tmp_path / "out", 4)
    work.do(InThisProcess())
    once = tmp_path / "once.jsonl"
    assert scripts.predict.main([run, "--file", file, "--out", str(once)]) == 0
    found, expected = (
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in (tmp_path / "out/predictions.jsonl", once)
    )
    assert len(found) == 11
    for one, other in zip(found, expected, strict=True):
        assert {**one, "probabilities": 0} == {**other, "probabilities": 0}
        assert one["probabilities"] == pytest.approx(other["probabilities"], abs=1e-5)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("backend", "abacus", "backend (abacus, not "), ("version", "0", "version (0, ")],
)
def test_a_job_that_differs_from_its_plan_computes_nothing(
    tmp_path, monkeypatch, capsys, name, value, message
):
    """As where a line of `--executor print` is run without KERAS_BACKEND."""
    (tmp_path / "rows.txt").write_text("a man sleeps\n")
    file = str(tmp_path / "rows.txt")
    work = BulkWork(VECTORS, RunFolder(EARLIER), file, tmp_path / "out", 9)
    load = worker.load_model

    def load_for_other_plan(plan, *arguments):
        settings = {**plan.settings, name: value}
        return load(plan._replace(settings=settings), *arguments)

    monkeypatch.setattr(worker, "load_model", load_for_other_plan)
    with pytest.raises(AssertionError):  # the job's exit code
        work.do(InThisProcess())
    assert f"has the work of another {message}" in capsys.readouterr().err
