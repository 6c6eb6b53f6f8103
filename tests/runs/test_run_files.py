"""Whenever a writer of a run folder is killed, the folder vouches for what it holds."""

import hashlib
import json
import os

import pytest

from dsa.errors import InputError
from dsa.runs import run_files
from dsa.runs.run_files import (
    RECORD,
    find_changed,
    prepare_folder,
    read_weights_sha256,
    remove_left_files,
)
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import write_atomically

WEIGHTS = "best.weights.h5"


class Killed(BaseException):
    """Stands for `kill -9`: nothing is caught, nothing is cleaned up."""


@pytest.fixture
def run(tmp_path):
    """A folder with a config, words and weights."""
    run = RunFolder(tmp_path)
    run.write("config.yaml", "seed: 13\n")
    run.write("vocabulary.txt", "a\nb\n")
    run.write(WEIGHTS, "old")
    return run


def compute_sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_folder_vouches_for_what_was_written(run):
    assert find_changed(run.path) == []
    for name, content in (
        ("config.yaml", "seed: 14\n"),
        ("vocabulary.txt", "b\na\n"),
        (WEIGHTS, "olD"),
    ):
        before = (run.path / name).read_text()
        (run.path / name).write_text(content)
        assert find_changed(run.path) == [name]
        with pytest.raises(InputError, match=f"not as training wrote it: {name}"):
            run.check_files()
        (run.path / name).write_text(before)
    run.check_files()
    assert run.describe_weights() == {"weights_sha256": compute_sha256("old")}


def test_a_file_that_training_did_not_write_is_a_change(run):
    (run.path / "feature_scale.npz").write_text("x")
    assert find_changed(run.path) == ["feature_scale.npz"]


def test_a_file_that_is_gone_is_a_change(run):
    (run.path / WEIGHTS).unlink()
    assert find_changed(run.path) == [WEIGHTS]
    with pytest.raises(InputError, match=f"no complete run: {WEIGHTS} is missing"):
        run.check_files()


def test_a_trusted_change_is_described(run):
    (run.path / WEIGHTS).write_text("other")
    trusted = RunFolder(run.path, trust=True)
    trusted.check_files()
    assert trusted.describe_weights() == {
        "weights_sha256": compute_sha256("old"),
        "trusted": True,
        "changed_files": [WEIGHTS],
    }


def test_a_record_that_is_gone_is_written_again_with_the_next_file(run):
    (run.path / RECORD).unlink()
    assert find_changed(run.path) == [RECORD]
    run.write(WEIGHTS, "new")
    assert find_changed(run.path) == []
    (run.path / "vocabulary.txt").write_text("b\na\n")
    assert find_changed(run.path) == ["vocabulary.txt"]


def test_evaluations_of_other_weights_are_not_those_of_the_run(run):
    run.add_metrics({"split": "test", "number": 0})  # does not say of which weights
    for number, content in enumerate(("old", "new"), 1):
        run.write(WEIGHTS, content)
        run.check_files()
        run.add_metrics({"split": "dev", "number": number, **run.describe_weights()})
    run.add_metrics({"split": "dev", "number": 3, "trusted": True})
    assert [entry["number"] for entry in run.own_metrics()] == [0, 2]
    (run.path / RECORD).unlink()
    assert [entry["number"] for entry in run.own_metrics()] == [0, 1, 2]


def test_a_writer_killed_after_it_has_replaced_the_weights_leaves_new_ones(run):
    record = json.loads((run.path / RECORD).read_text())
    with run.replace(WEIGHTS) as path:
        path.write_text("new")
    record["next"] = {WEIGHTS: compute_sha256("new")}
    run.write_json(RECORD, record)
    assert read_weights_sha256(run.path) == compute_sha256("new")


def test_weights_without_a_record_are_no_complete_run_unless_they_are_trusted(run):
    (run.path / RECORD).unlink()
    with pytest.raises(InputError, match=f"no complete run: {RECORD} is missing"):
        run.check_files()
    trusted = RunFolder(run.path, trust=True)
    trusted.check_files()
    assert trusted.describe_weights() == {"trusted": True, "changed_files": [RECORD]}
    (run.path / WEIGHTS).unlink()
    run.check_files()  # a run that was killed at its very start


@pytest.mark.parametrize(
    "content", ["", "[]", "{", "[" * 10**5, '{"sha256": [], "next": {}}', "{}"]
)
def test_a_damaged_record_is_refused(run, content):
    (run.path / RECORD).write_text(content)
    with pytest.raises(InputError, match=f"{RECORD}: damaged"):
        run.check_files()


def test_a_pipe_instead_of_a_record_does_not_hang(run):
    (run.path / RECORD).unlink()
    os.mkfifo(run.path / RECORD)
    with pytest.raises(InputError, match="no regular file"):
        run.check_files()


def kill_at(monkeypatch, number):
    """Let the `number`-th rename, and everything after it, not happen."""
    renames, original = [], os.replace

    def replace(*arguments):
        renames.append(arguments)
        if len(renames) >= number:
            raise Killed
        original(*arguments)

    monkeypatch.setattr("os.replace", replace)
    monkeypatch.setattr("pathlib.Path.unlink", lambda *_, **__: None)


@pytest.mark.parametrize("second", ["new", "newer", "old"])
@pytest.mark.parametrize("name", [WEIGHTS, "vocabulary.txt"])
@pytest.mark.parametrize("number", range(1, 6))
def test_killed_at_any_rename_a_folder_is_sound(run, number, name, second, monkeypatch):
    """And it is sound again after the next process has written."""
    with monkeypatch.context() as patch:
        kill_at(patch, number)
        try:
            run.write(WEIGHTS, "new")
        except Killed:
            pass
    assert find_changed(run.path) == []
    assert (run.path / WEIGHTS).read_text() in ("old", "new")
    for next_number in range(1, 6):
        with monkeypatch.context() as patch:
            kill_at(patch, next_number)
            try:
                run.write(name, second)
            except Killed:
                pass
        assert find_changed(run.path) == []
    run.write(name, second)
    assert find_changed(run.path) == []
    remove_left_files(run.path)
    assert not list(run.path.glob("tmp.*"))
    record = json.loads((run.path / RECORD).read_text())
    assert record["next"] == {} and name in record["sha256"]


def test_a_folder_killed_before_its_config_is_there_can_be_used(tmp_path, monkeypatch):
    for number in range(1, 4):
        run = RunFolder(tmp_path / str(number))
        run.path.mkdir()
        prepare_folder(run.path)
        with monkeypatch.context() as patch:
            kill_at(patch, number)
            try:
                run.write("config.yaml", "seed: 13\n")
            except Killed:
                pass
        if run.is_started():
            assert not find_changed(run.path)
        else:
            prepare_folder(run.path)
        run.write("vocabulary.txt", "a\n")
        assert find_changed(run.path) == []


def test_who_reads_while_another_writes_is_not_misled(run, monkeypatch):

    original, times = run_files.compute_sha256, []

    def write_first(path):
        if not times:
            times.append(1)
            run.write(WEIGHTS, "new")  # between the record and the file
        return original(path)

    monkeypatch.setattr(run_files, "compute_sha256", write_first)
    assert find_changed(run.path) == []


def test_a_failed_write_changes_nothing(run):
    with pytest.raises(OSError, match="full"), run.replace(WEIGHTS) as path:
        write_atomically(path, "half")
        raise OSError("the disk is full")
    assert (run.path / WEIGHTS).read_text() == "old"
    assert find_changed(run.path) == [] and not list(run.path.glob("tmp.*"))
