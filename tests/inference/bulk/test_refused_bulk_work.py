"""Bulk work that is refused, or that fails before it begins."""

import os
import subprocess
import sys

import numpy as np
import pytest

import dsa
from dsa.errors import BusyError, InputError
from dsa.inference.bulk import worker
from dsa.inference.bulk.bulk_work import BulkWork
from dsa.inference.bulk.shards import VECTORS
from dsa.runs.run_folder import RunFolder
from dsa.system.folder_lock import BULK, lock_folder
from tests.support.killed_bulk import InThisProcess
from tests.support.small_bulk import RUN


def test_a_number_that_float16_cannot_hold_is_refused(do, monkeypatch, capsys):
    def load(plan, *arguments):
        return lambda examples: np.full((len(examples), 2), 1e5)

    monkeypatch.setattr(worker, "load_model", load)
    with pytest.raises(AssertionError):  # the job's exit code
        do(dtype="float16")
    assert (
        "shard 1: a vector has a number that float16 does not hold"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("finished", [True, False])
def test_other_work_in_the_folder_is_refused(do, tmp_path, monkeypatch, finished):
    if finished:
        do()
    else:
        with monkeypatch.context() as patch:
            patch.setattr(InThisProcess, "runs_jobs", False)
            patch.setattr(InThisProcess, "start", lambda self, job: None)
            assert do() is None
    with pytest.raises(InputError, match=r"another shard_rows \(5, not 4\). Name anot"):
        do(shard_rows=4)
    with pytest.raises(InputError, match=r"another dtype \(float32, not float16\)"):
        do(dtype="float16")
    (tmp_path / "rows.txt").write_text("another text\n")
    with pytest.raises(InputError, match=r"the work of another input\. Name another"):
        do()
    assert do(force=True)["rows"] == 1
    (tmp_path / "out/manifest.json").write_text('{"format": 0}')
    assert do(force=True)["rows"] == 1  # also over a damaged one
    assert len(dsa.open_vectors(tmp_path / "out", verify=True)) == 1


def test_a_run_folder_and_a_link_are_refused_before_anything_is_written(do, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out/work").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="work: a link: remove it, or name another"):
        do()
    assert not list((tmp_path / "elsewhere").iterdir())
    (tmp_path / "out/work").unlink()
    (tmp_path / "out/config.yaml").touch()
    with pytest.raises(InputError, match="out: a run folder: name another folder"):
        do()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["config.yaml"]


def test_another_run_is_refused(do, tmp_path):
    import shutil

    from dsa.hub.fetching import find_run

    do()
    other = tmp_path / "other"
    shutil.copytree(find_run(RUN), other)
    with open(other / "vocabulary.txt", "a") as file:
        file.write("okapi\n")
    work = [VECTORS, RunFolder(other), str(tmp_path / "rows.txt"), tmp_path / "out", 5]
    with pytest.raises(InputError, match="changed after training: vocabulary.txt"):
        BulkWork(*work).do(InThisProcess())
    (other / "sha256.json").unlink()
    with pytest.raises(InputError, match="the work of another run"):
        BulkWork(*work).do(InThisProcess())


def test_a_bad_row_leaves_nothing(do, numbers, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"a\nb\n\xff\n")
    with pytest.raises(InputError, match="bad.txt, line 3: not UTF-8"):
        do(file="bad.txt")
    assert not numbers and not (tmp_path / "out").exists()


def test_too_many_tokens_are_seen_before_anything_is_computed(do, numbers, tmp_path):
    (tmp_path / "long.txt").write_text(f"a\n{'b ' * 4001}\n")
    with pytest.raises(InputError, match="long.txt, row 2: a text has 4,001 tokens"):
        do(file="long.txt")
    assert not numbers and not (tmp_path / "out").exists()


def test_a_file_that_was_there_is_kept(do, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/vectors.npy").write_text("precious")
    with pytest.raises(InputError, match="vectors.npy is there already. --force repl"):
        do()
    assert (tmp_path / "out/vectors.npy").read_text() == "precious"


def test_two_calls_do_not_write_one_folder(do, tmp_path):
    holder = (
        "import sys, time; from dsa.system.folder_lock import *\n"
        f"with lock_folder({str(tmp_path)!r} + '/out', {BULK!r}):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    (tmp_path / "out").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", holder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": "."},
    )
    assert process.stdout.readline() == "held\n"
    with pytest.raises(BusyError, match=f"process {process.pid} on .* .bulk work, sin"):
        do()
    process.communicate("")
    assert do()["rows"] == 17
    with lock_folder(tmp_path / "out", BULK):
        pass


def test_a_disk_without_room_is_one_line_at_the_start(do, monkeypatch, capsys):
    import shutil

    monkeypatch.setattr(
        shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(0, 0, 100)
    )
    with pytest.raises(AssertionError):
        do()
    assert "0.0 GB are needed, 0.0 GB are free" in capsys.readouterr().err
