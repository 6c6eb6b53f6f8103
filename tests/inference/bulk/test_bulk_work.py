"""Bulk work from an input to its manifest, with a model that needs no Keras."""

import json
import logging
import sys

import numpy as np
import pytest

import dsa
from dsa.errors import InputError
from dsa.inference.bulk import worker
from dsa.inference.bulk.bulk_work import deal
from dsa.inference.bulk.shards import PREDICTIONS
from tests.support.killed_bulk import InThisProcess
from tests.support.small_bulk import TEXTS, UNITS, encode


def test_vectors_are_one_array_in_the_order_of_the_input(do, tmp_path):
    manifest = do()
    vectors = dsa.open_vectors(tmp_path / "out", verify=True)
    assert isinstance(vectors, np.memmap) and not vectors.flags.writeable
    np.testing.assert_array_equal(vectors, encode(TEXTS))
    np.testing.assert_array_equal(np.load(tmp_path / "out/vectors.npy"), vectors)
    assert [shard["rows"] for shard in manifest["shards"]] == [5, 5, 5, 2]
    assert (manifest["rows"], manifest["units"]) == (17, UNITS)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["manifest.json", "vectors.npy"]
    text = (tmp_path / "out/manifest.json").read_text()
    assert text.count("\n  {") == 4  # a line for each shard


def test_numbers_can_have_half_the_bytes(do, tmp_path):
    do(dtype="float16")
    vectors = dsa.open_vectors(tmp_path / "out", verify=True)
    assert vectors.dtype == np.float16
    np.testing.assert_array_equal(vectors, encode(TEXTS).astype(np.float16))


def test_predictions_are_one_file_in_the_order_of_the_input(do, tmp_path):
    (tmp_path / "pairs.csv").write_text(
        "q,a,b\n" + "".join(f"{n},{text},a person\n" for n, text in enumerate(TEXTS))
    )
    columns = ("premise=a", "hypothesis=b", "id=q")
    manifest = do(PREDICTIONS, "pairs.csv", columns=columns)
    lines = (tmp_path / "out/predictions.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"id": str(n), "texts": [text, "a person"]} for n, text in enumerate(TEXTS)
    ]
    assert manifest["lines"] == 17 and manifest["settings"]["dtype"] is None
    with pytest.raises(InputError, match="no complete vectors"):
        dsa.open_vectors(tmp_path / "out")


def test_a_second_call_has_nothing_to_do(do, numbers, tmp_path):
    first = do()
    before = (tmp_path / "out/vectors.npy").stat().st_mtime_ns
    assert numbers == [5, 5, 5, 2]
    assert do() == first and numbers == [5, 5, 5, 2]
    assert (tmp_path / "out/vectors.npy").stat().st_mtime_ns == before


def test_a_call_that_failed_is_resumed(do, numbers, monkeypatch, tmp_path):
    load = worker.load_model

    def load_failing(plan, *arguments):
        compute = load(plan, *arguments)

        def compute_or_fail(examples):
            if len(numbers) == 2:
                raise InputError("told to fail")
            return compute(examples)

        return compute_or_fail

    monkeypatch.setattr(worker, "load_model", load_failing)
    with pytest.raises(AssertionError):
        do()
    assert numbers == [5, 5] and not (tmp_path / "out/manifest.json").exists()
    with pytest.raises(InputError, match="no complete vectors"):
        dsa.open_vectors(tmp_path / "out")
    monkeypatch.setattr(worker, "load_model", load)
    do()
    assert numbers == [5, 5, 5, 2]
    np.testing.assert_array_equal(dsa.open_vectors(tmp_path / "out"), encode(TEXTS))


def test_standard_input_is_read_again_by_the_second_call(do, tmp_path, monkeypatch):
    def give(text):
        path = tmp_path / "given"
        path.write_text(text)
        monkeypatch.setattr(sys, "stdin", open(path))

    text = "".join(f"{text}\n" for text in TEXTS)
    give(text)
    manifest = do(file="-")
    assert manifest["source"] == "standard input"
    np.testing.assert_array_equal(dsa.open_vectors(tmp_path / "out"), encode(TEXTS))
    give(text)
    assert do(file="-") == manifest
    give("other\n")
    with pytest.raises(InputError, match="the work of another input"):
        do(file="-")
    give("a\n\n")
    with pytest.raises(InputError, match="^standard input, line 2: the sentence is em"):
        do(file="-", force=True)


def damage(folder, name, change):
    path = folder / name
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(bytes(content))


def test_vectors_that_were_changed_are_seen(do, tmp_path):
    out = tmp_path / "out"
    do()
    damage(out, "vectors.npy", lambda content: content.append(0))
    with pytest.raises(InputError, match="has more bytes than its vectors"):
        dsa.open_vectors(out)
    damage(out, "vectors.npy", lambda content: content.pop())
    damage(out, "vectors.npy", lambda content: content.pop())
    with pytest.raises(InputError, match="missing or damaged"):
        dsa.open_vectors(out)
    damage(out, "vectors.npy", lambda content: content.append(255))
    assert dsa.open_vectors(out).shape == (17, UNITS)
    with pytest.raises(InputError, match="vectors.npy: shard 4: another SHA-256"):
        dsa.open_vectors(out, verify=True)
    np.save(out / "vectors.npy", np.zeros((17, UNITS), np.float64))
    with pytest.raises(InputError, match=r"float64, but the manifest says \(17, 7\) f"):
        dsa.open_vectors(out)
    (out / "manifest.json").write_text('{"format": 1}')
    with pytest.raises(InputError, match="manifest.json: damaged"):
        dsa.open_vectors(out)


def test_only_jobs_that_are_left_are_shown(do, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    shown = []
    monkeypatch.setattr(InThisProcess, "runs_jobs", False)
    monkeypatch.setattr(InThisProcess, "start", lambda self, job: shown.append(job))
    assert do() is None
    assert [job.name for job in shown] == ["shards 1 to 2 of 4", "shards 3 to 4 of 4"]
    assert worker.main(list(shown[0].command)) == 0
    assert shown[0].finished() and not shown[1].finished()
    shown.clear()
    assert do() is None
    assert [job.name for job in shown] == ["shards 3 to 3 of 4", "shards 4 to 4 of 4"]
    assert worker.main([*shown[0].command[:-2], "0", "3"]) == 0
    shown.clear()
    assert do()["rows"] == 17 and not shown  # complete, so there is nothing to show
    np.testing.assert_array_equal(dsa.open_vectors(tmp_path / "out"), encode(TEXTS))


def test_shards_are_dealt_evenly():
    assert deal([1, 2, 3], 5) == [[1], [2], [3]]
    assert deal([], 2) == [] and deal([1, 2], 0) == [[1, 2]]
    assert [len(part) for part in deal(list(range(11)), 4)] == [3, 3, 3, 2]
