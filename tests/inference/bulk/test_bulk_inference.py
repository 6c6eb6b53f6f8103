"""Bulk inference from an input to its shards, with a model without Keras."""

import doctest
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dsa
from dsa.api import runs
from dsa.errors import BusyError, InputError
from dsa.inference.bulk import worker
from dsa.system.folder_lock import BULK
from tests.support.small_bulk import (
    TEXTS,
    UNITS,
    InThisProcess,
    encode,
    load_small_model,
    make_inference,
    write_texts,
)

OTHER_RUN = Path(__file__).parents[2] / "support/run_of_0_1_0/run"


class Counting(InThisProcess):
    """Records the number of rows of each computed shard; fails after `most` shards."""

    def __init__(self, most=None):
        self.shards = []

        def load(options, manifest):
            compute = load_small_model(options, manifest)

            def compute_and_count(rows):
                if len(self.shards) == most:
                    raise InputError("an expected failure")
                self.shards.append(len(rows))
                return compute(rows)

            return compute_and_count

        super().__init__(load)


class Printing(InThisProcess):
    """Records jobs instead of running them."""

    runs_jobs = False

    def __init__(self):
        super().__init__()
        self.jobs = []

    def start(self, job):
        self.jobs.append(job)


@pytest.fixture
def folder(tmp_path):
    """A folder with 17 texts in `rows.txt`."""
    write_texts(tmp_path / "rows.txt")
    return tmp_path


def compute(folder, *arguments, force=False, **settings):
    """Computes shards of five rows in this process."""
    inference = make_inference(folder, *arguments, **settings)
    return inference.compute(InThisProcess(), force=force)


def test_vectors_are_in_the_order_of_the_input(folder):
    manifest = compute(folder)
    assert manifest.shards == [5, 5, 5, 2]
    vectors, expected = dsa.open_vectors(folder / "out"), encode(TEXTS)
    assert len(np.unique(expected, axis=0)) == 17
    assert vectors.shape == (17, UNITS) and len(vectors) == 17
    assert all(isinstance(shard, np.memmap) for shard in vectors.shards)
    np.testing.assert_array_equal(vectors, expected)
    for rows in (0, 16, -17, slice(3, 12), slice(None, None, -2), [7, 0, 16, 7], []):
        np.testing.assert_array_equal(vectors[rows], expected[rows])
    mask = np.arange(17) % 3 == 0
    np.testing.assert_array_equal(vectors[mask], expected[mask])
    np.testing.assert_array_equal(list(vectors), expected)
    for index in (17, -18, [3, 17], (1, 2), mask[:5], 1.5):
        with pytest.raises(IndexError):
            vectors[index]
    names = sorted(path.name for path in (folder / "out").iterdir())
    assert names == ["manifest.json", *(f"part-0000{n}.npy" for n in range(4))]
    np.testing.assert_array_equal(np.load(folder / "out" / names[4]), expected[15:])


def test_the_example_of_open_vectors_runs(folder, monkeypatch):
    compute(folder, out="vectors")
    monkeypatch.chdir(folder)
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    (example,) = finder.find(runs.open_vectors, "open_vectors", globs={"dsa": dsa})
    assert runner.run(example) == (0, 4)


def test_vectors_can_be_stored_as_float16(folder):
    compute(folder, dtype="float16")
    vectors = dsa.open_vectors(folder / "out")
    assert vectors.dtype == np.float16
    np.testing.assert_array_equal(vectors, encode(TEXTS).astype(np.float16))


def test_a_number_that_float16_cannot_represent_is_an_error(folder):
    def load(options, manifest):
        return lambda rows: np.full((len(rows), 2), 1e5)

    inference = make_inference(folder, dtype="float16")
    with pytest.raises(InputError, match="part-00000.npy: .* the range of float16"):
        inference.compute(InThisProcess(load))


def test_predictions_are_json_lines_in_the_order_of_the_input(folder):
    lines = [f"{n},{text},a person\n" for n, text in enumerate(TEXTS)]
    (folder / "pairs.csv").write_text("q,a,b\n" + "".join(lines))
    columns = ("premise=a", "hypothesis=b", "id=q")
    compute(folder, "predictions", "pairs.csv", columns=columns)
    parts = sorted((folder / "out").glob("part-*.jsonl"))
    lines = [line for part in parts for line in part.read_text().splitlines()]
    assert [json.loads(line) for line in lines] == [
        {"id": str(n), "texts": [text, "a person"]} for n, text in enumerate(TEXTS)
    ]
    with pytest.raises(InputError, match="expected the output folder of `dsa encode"):
        dsa.open_vectors(folder / "out")


def test_finished_shards_are_skipped(folder):
    first, failing, resumed, finished = (
        Counting(),
        Counting(most=2),
        *(Counting() for _ in range(2)),
    )
    make_inference(folder, out="whole").compute(first)
    assert first.shards == [5, 5, 5, 2]
    with pytest.raises(InputError, match="an expected failure"):
        make_inference(folder).compute(failing)
    with pytest.raises(InputError, match="2 of 4 shards are missing. Run the same"):
        dsa.open_vectors(folder / "out")
    manifest = make_inference(folder).compute(resumed)
    assert failing.shards == [5, 5] and resumed.shards == [5, 2]
    np.testing.assert_array_equal(dsa.open_vectors(folder / "out"), encode(TEXTS))
    assert make_inference(folder).compute(finished) == manifest
    assert finished.shards == []


def test_standard_input_is_given_again_to_resume(folder, monkeypatch):
    def give(texts):
        write_texts(folder / "given", texts)
        monkeypatch.setattr(sys, "stdin", open(folder / "given"))

    give(TEXTS)
    with pytest.raises(InputError, match="an expected failure"):
        make_inference(folder, file="-").compute(Counting(most=2))
    give(["other"])
    with pytest.raises(InputError, match="with other values of input"):
        compute(folder, file="-")
    give(TEXTS)
    resumed = Counting()
    assert make_inference(folder, file="-").compute(resumed).source == "standard input"
    assert resumed.shards == [5, 2]
    np.testing.assert_array_equal(dsa.open_vectors(folder / "out"), encode(TEXTS))
    assert not (folder / "out/unfinished").exists()
    give(["a", ""])
    with pytest.raises(InputError, match="input.txt, line 2: the sentence is empty"):
        compute(folder, file="-", force=True)


def test_printed_jobs_compute_the_missing_shards(folder):
    printing = Printing()
    assert make_inference(folder).compute(printing) is None
    names = [job.name for job in printing.jobs]
    assert names == ["shards 1 to 2 of 4", "shards 3 to 4 of 4"]
    worker.compute_shards(list(printing.jobs[0].command), load_small_model)
    assert printing.jobs[0].finished() and not printing.jobs[1].finished()
    printing = Printing()
    assert make_inference(folder).compute(printing) is None
    names = [job.name for job in printing.jobs]
    assert names == ["shards 3 to 3 of 4", "shards 4 to 4 of 4"]
    for job in printing.jobs:
        worker.compute_shards(list(job.command), load_small_model)
    printing = Printing()
    assert make_inference(folder).compute(printing) is not None and not printing.jobs
    np.testing.assert_array_equal(dsa.open_vectors(folder / "out"), encode(TEXTS))


def test_a_job_without_the_vector_file_is_an_error(finished_frozen, tmp_path):
    write_texts(tmp_path / "rows.txt")
    root = shutil.copytree(finished_frozen, tmp_path / "root")
    inference = make_inference(tmp_path, run=root / "run", root=root)
    printing = Printing()
    inference.compute(printing)
    assert str(root) in printing.jobs[0].command
    (root / "vectors.txt").unlink()
    with pytest.raises(InputError, match="other values of word_vectors"):
        worker.compute_shards(list(printing.jobs[0].command), load_small_model)


@pytest.mark.parametrize("count", [1, 3, 4, 9])
def test_shards_are_divided_among_any_number_of_jobs(folder, count):
    printing = Printing()
    make_inference(folder).compute(printing, jobs=count)
    assert len(printing.jobs) == min(count, 4)
    for job in printing.jobs:
        worker.compute_shards(list(job.command), load_small_model)
    np.testing.assert_array_equal(dsa.open_vectors(folder / "out"), encode(TEXTS))


@pytest.mark.parametrize("finished", [True, False])
def test_other_settings_are_an_error(folder, finished):
    if finished:
        compute(folder)
    else:
        make_inference(folder).compute(Printing())
    with pytest.raises(InputError, match="values of dtype, shard_rows. Choose another"):
        compute(folder, shard_rows=4, dtype="float16")
    write_texts(folder / "rows.txt", ["another text"])
    with pytest.raises(InputError, match=r"values of input\. Choose another folder"):
        compute(folder)
    assert compute(folder, force=True).shards == [1]
    assert len(dsa.open_vectors(folder / "out")) == 1


def test_another_run_is_an_error(folder):
    compute(folder)
    with pytest.raises(InputError, match="other values of .*run"):
        compute(folder, run=OTHER_RUN)


def test_a_job_with_another_backend_is_an_error(folder, monkeypatch):
    printing = Printing()
    make_inference(folder, runtime="keras").compute(printing)
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    with pytest.raises(InputError, match="other values of backend"):
        worker.compute_shards(list(printing.jobs[0].command), load_small_model)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\n\xff\n", "line 3: not UTF-8"),
        (b"a\n" + 4001 * b"b ", "row 2: a text must have at most 4,000 tokens"),
        (b"a\n\n", "line 2: the sentence is empty"),
    ],
)
def test_an_unreadable_row_is_an_error_before_the_first_shard(folder, content, message):
    (folder / "bad.txt").write_bytes(content)
    with pytest.raises(InputError, match=f"bad.txt, {message}"):
        compute(folder, file="bad.txt")
    assert not (folder / "out").exists()


def test_force_keeps_earlier_results_until_the_new_input_is_checked(folder):
    compute(folder)
    (folder / "bad.txt").write_bytes(b"a\n\n")
    for file in ("bad.txt", "missing.txt"):
        with pytest.raises((InputError, FileNotFoundError)):
            compute(folder, file=file, force=True)
    assert len(dsa.open_vectors(folder / "out")) == 17


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="requires Linux")
def test_open_vectors_keeps_no_file_open(folder):
    compute(folder, shard_rows=1)
    num_open = len(os.listdir("/proc/self/fd"))
    vectors = dsa.open_vectors(folder / "out")
    np.testing.assert_array_equal(vectors, encode(TEXTS))
    assert len(os.listdir("/proc/self/fd")) == num_open and len(vectors.shards) == 17


def test_files_of_other_origin_are_kept(folder):
    (folder / "out").mkdir()
    (folder / "out/part-00000.npy").write_text("precious")
    with pytest.raises(InputError, match="part-00000.npy already exists. --force del"):
        compute(folder)
    assert (folder / "out/part-00000.npy").read_text() == "precious"


def test_an_input_in_the_output_folder_is_not_deleted(folder):
    compute(folder, "predictions", out="out", file=write_pairs(folder / "pairs.txt"))
    with pytest.raises(InputError, match="an input file cannot be the output"):
        compute(folder, "predictions", "out/part-00000.jsonl", force=True)
    assert (folder / "out/part-00000.jsonl").exists()


def write_pairs(path):
    write_texts(path, ["a man\ta person"])
    return path.name


def test_a_second_process_is_an_error(folder):
    hold = (
        "import sys; from dsa.system.folder_lock import lock_folder\n"
        f"with lock_folder({str(folder / 'out')!r}, {BULK!r}):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    (folder / "out").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", hold],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": "."},
    )
    assert process.stdout.readline() == "held\n"
    with pytest.raises(BusyError, match=f"process {process.pid} on .*bulk"):
        compute(folder)
    process.communicate("")
    assert compute(folder).shards == [5, 5, 5, 2]


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(b""),
        lambda path: np.save(path, np.zeros((4, UNITS), np.float32)),
        lambda path: np.save(path, np.zeros((5, 3), np.float32)),
        lambda path: np.save(path, np.zeros((5, UNITS), np.float64)),
        lambda path: np.save(path, np.array([{}] * 5), allow_pickle=True),
    ],
)
def test_a_damaged_shard_is_an_error_and_is_computed_again(folder, damage):
    compute(folder)
    path = folder / "out/part-00001.npy"
    damage(path)
    with pytest.raises(InputError, match="part-00001.npy: damaged: .* Delete it and"):
        dsa.open_vectors(folder / "out")
    path.unlink()
    compute(folder)
    np.testing.assert_array_equal(dsa.open_vectors(folder / "out"), encode(TEXTS))


@pytest.mark.parametrize(
    "change",
    [
        {"format": 1},
        {"output": ["vectors"]},
        {"dtype": "float64"},
        {"shards": [5, -5]},
        {"shards": ["five"]},
        {"unknown": 1},
    ],
)
def test_a_damaged_manifest_is_an_error(folder, change):
    compute(folder)
    path = folder / "out/manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    for call in (lambda: compute(folder), lambda: dsa.open_vectors(folder / "out")):
        with pytest.raises(InputError, match="manifest.json is damaged or was written"):
            call()
    compute(folder, force=True)
    assert len(dsa.open_vectors(folder / "out")) == 17


def test_answers_to_a_question_stay_in_one_shard(tmp_path):
    from dsa.inference.input_rows import read_shards

    questions = [
        {"question": f"who {n} ?", "answers": ["a", "b", "c"], "id": f"q{n}"}
        for n in range(3)
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(question) + "\n" for question in questions))
    shards = list(read_shards(path, "questions", None, 4))
    assert [len(rows) for rows in shards] == [6, 3]
    assert [row.group for row in shards[1]] == ["q2"] * 3
