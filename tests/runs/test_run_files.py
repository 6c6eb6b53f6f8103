import hashlib
import json
import os

import pytest

from dsa.errors import InputError
from dsa.runs.run_files import (
    CHECKSUM_FILE,
    discard_run,
    is_abandoned,
    prepare_folder,
    read_weights_sha256,
    remove_temporary_files,
)
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import write_atomically

WEIGHTS = "best.weights.h5"
CONFIG, WORDS = "seed: 13\n", "a\nb\n"


@pytest.fixture
def run(tmp_path):
    """Returns a run folder with a config, words, weights and `sha256.json`."""
    run = RunFolder(tmp_path / "run")
    run.path.mkdir()
    run.write("config.yaml", CONFIG)
    run.write("vocabulary.txt", WORDS)
    run.write(WEIGHTS, "old")
    run.write_record()
    return run


def compute_sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("name", "content"),
    [("config.yaml", "seed: 14\n"), ("vocabulary.txt", "b\na\n"), (WEIGHTS, "olD")],
)
def test_the_error_for_a_changed_file_names_it_and_a_remedy(run, name, content):
    run.check_files()
    (run.path / name).write_text(content)
    with pytest.raises(InputError) as error:
        run.check_files()
    assert str(error.value) == (
        f"{run.path}: changed after training: {name}. To accept the change, delete "
        f"{run.path / CHECKSUM_FILE}: the run is then unverified"
    )
    (run.path / CHECKSUM_FILE).unlink()
    run.check_files()


def test_an_additional_file_is_an_error(run):
    (run.path / "feature_scale.npz").write_text("x")
    with pytest.raises(InputError, match="changed after training: feature_scale.npz"):
        run.check_files()


def test_a_missing_file_is_an_error(run):
    (run.path / WEIGHTS).unlink()
    with pytest.raises(InputError, match=f"incomplete run: {WEIGHTS} is missing"):
        run.check_files()


@pytest.mark.parametrize("name", ["config.yaml", "vocabulary.txt"])
def test_line_endings_of_text_files_are_ignored(run, name):
    content = (run.path / name).read_bytes()
    (run.path / name).write_bytes(content.replace(b"\n", b"\r\n"))
    run.check_files()
    assert run.vocabulary().words == ["a", "b"]
    run.write_record()  # the same digests
    (run.path / name).write_bytes(content)
    run.check_files()


def test_a_carriage_return_inside_a_line_is_an_error(run):
    (run.path / "vocabulary.txt").write_bytes(b"a\rb\n")
    with pytest.raises(InputError, match="changed after training: vocabulary.txt"):
        run.check_files()


def test_line_endings_of_weights_are_not_ignored(run):
    with run.replace_file(WEIGHTS) as path:
        path.write_bytes(b"a\n")
    run.write_record()
    (run.path / WEIGHTS).write_bytes(b"a\r\n")
    with pytest.raises(InputError, match=f"changed after training: {WEIGHTS}"):
        run.check_files()


def test_the_record_is_removed_before_a_file_is_replaced(run):
    with run.replace_file(WEIGHTS) as path:
        path.write_text("new")
        assert run.is_verified()  # before the replacement
    assert (run.path / WEIGHTS).read_text() == "new"
    assert not run.is_verified()
    run.check_files()
    run.write_record()
    assert run.describe_weights() == {"weights_sha256": compute_sha256("new")}


def test_a_failed_write_changes_nothing(run):
    with pytest.raises(OSError, match="full"), run.replace_file(WEIGHTS) as path:
        write_atomically(path, "half")
        raise OSError("the disk is full")
    assert (run.path / WEIGHTS).read_text() == "old" and run.is_verified()
    assert not list(run.path.glob("tmp.*"))


def test_writing_other_files_keeps_the_record(run):
    run.write_history([{"step": 1}])
    run.add_metrics({"split": "dev"})
    assert run.is_verified()


def test_an_evaluation_without_a_record_is_marked_unverified(run):
    (run.path / CHECKSUM_FILE).unlink()
    assert run.describe_weights() == {
        "weights_sha256": compute_sha256("old"),
        "verified": False,
    }


def test_evaluations_of_other_weights_and_of_unverified_runs_are_skipped(run):
    run.add_metrics({"split": "test", "number": 0})  # without a SHA-256
    for number, content in enumerate(("old", "new"), 1):
        run.write(WEIGHTS, content)
        run.write_record()
        run.add_metrics({"split": "dev", "number": number, **run.describe_weights()})
    run.add_metrics({"split": "dev", "number": 3, "trusted": True})  # version 0.2
    (run.path / CHECKSUM_FILE).unlink()
    run.add_metrics({"split": "dev", "number": 4, **run.describe_weights()})
    assert [entry["number"] for entry in run.current_evaluations()] == [0, 2]
    (run.path / WEIGHTS).unlink()  # as in `results/`
    assert [entry["number"] for entry in run.current_evaluations()] == [0, 1, 2]


@pytest.mark.parametrize("content", ["old", "new"])
def test_a_record_of_version_0_2_is_checked(run, content):
    """Its `next` is the digest of a file whose writer was killed."""
    digests = {
        "config.yaml": compute_sha256(CONFIG),
        "vocabulary.txt": compute_sha256(WORDS),
        WEIGHTS: compute_sha256("old"),
    }
    record = {"sha256": digests, "next": {WEIGHTS: compute_sha256("new")}}
    (run.path / CHECKSUM_FILE).write_text(json.dumps(record))
    (run.path / WEIGHTS).write_text(content)
    run.check_files()
    assert read_weights_sha256(run.path) == compute_sha256(content)
    (run.path / WEIGHTS).write_text("other")
    with pytest.raises(InputError, match=f"changed after training: {WEIGHTS}"):
        run.check_files()


@pytest.mark.parametrize(
    "content", ["", "[]", "{", "[" * 10**5, '{"sha256": []}', '{"next": {}}', "{}"]
)
def test_a_damaged_record_is_an_error(run, content):
    (run.path / CHECKSUM_FILE).write_text(content)
    with pytest.raises(InputError, match=f"{CHECKSUM_FILE}: damaged"):
        run.check_files()


def test_a_pipe_instead_of_a_record_does_not_block(run):
    (run.path / CHECKSUM_FILE).unlink()
    os.mkfifo(run.path / CHECKSUM_FILE)
    with pytest.raises(InputError, match=f"{CHECKSUM_FILE}: damaged"):
        run.check_files()


def test_weights_on_another_disk_are_read_and_replaced_through_a_link(run, tmp_path):
    (tmp_path / "scratch").mkdir()
    target = (run.path / WEIGHTS).rename(tmp_path / "scratch" / WEIGHTS)
    (run.path / WEIGHTS).symlink_to(target)
    run.check_folder()
    run.check_files()
    run.write(WEIGHTS, "new")
    assert target.read_text() == "new" and (run.path / WEIGHTS).is_symlink()


def test_a_state_on_another_disk_belongs_to_the_run(tmp_path):
    run, scratch = RunFolder(tmp_path / "run"), tmp_path / "scratch"
    run.path.mkdir()
    scratch.mkdir()
    (run.path / "state").symlink_to(scratch)
    prepare_folder(run.path)
    run.write("config.yaml", CONFIG)
    assert is_abandoned(run.path)
    (scratch / "state.npz").touch()
    assert not is_abandoned(run.path)
    discard_run(run.path)
    assert run.is_started()  # the state can be resumed
    (scratch / "state.npz").unlink()
    discard_run(run.path)
    assert not run.is_started() and (run.path / "state").is_symlink()


class Killed(BaseException):
    """Simulates `kill -9`: an exception without cleanup."""


def test_a_run_killed_before_its_config_is_complete_can_be_started_again(
    tmp_path, monkeypatch
):
    def kill(*_):
        raise Killed

    run = RunFolder(tmp_path)
    prepare_folder(run.path)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr("os.replace", kill)
        patch.setattr("pathlib.Path.unlink", lambda *_, **__: None)
        run.write("config.yaml", CONFIG)
    assert not run.is_started() and list(run.path.glob("tmp.*"))
    prepare_folder(run.path)
    run.write("config.yaml", CONFIG)
    remove_temporary_files(run.path)
    assert {file.name for file in run.path.iterdir()} == {"config.yaml", "state"}
