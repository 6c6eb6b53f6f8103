import os

import pytest

from dsa.errors import InputError
from dsa.runs.outputs import OutputFolder, check_output, choose_output
from dsa.runs.run_files import ALL_RUN_FILES


def test_an_existing_file_is_replaced_only_with_force(tmp_path):
    path = tmp_path / "labels.jsonl"
    check_output(path)
    path.write_text("precious")
    with pytest.raises(InputError, match="already exists. --force replaces it"):
        check_output(path)
    check_output(path, force=True)


def test_an_input_file_is_never_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pairs.txt"
    path.write_text("a\tb\n")
    os.link(path, tmp_path / "same.txt")
    for other in (path, "pairs.txt", "./pairs.txt", tmp_path / "same.txt"):
        with pytest.raises(InputError, match="an input file cannot be the output"):
            check_output(path, force=True, inputs=[None, "-", other])
    check_output(tmp_path / "a.txt", inputs=[None, "-", path])


@pytest.mark.parametrize("name", ALL_RUN_FILES)
def test_a_file_of_a_run_folder_is_never_replaced(tmp_path, name, monkeypatch):
    (tmp_path / "state").mkdir()
    (tmp_path / "config.yaml").write_text("seed: 13\n")
    monkeypatch.chdir(tmp_path / "state")
    for path in (tmp_path / name, f"../{name}"):
        with pytest.raises(InputError, match="files of a run folder"):
            check_output(path, force=True)
    check_output(tmp_path / "labels.jsonl")


def test_an_output_that_is_not_a_regular_file_is_an_error(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for path in ("/dev/full", "/dev/null", tmp_path, tmp_path / "pipe"):
        with pytest.raises(
            InputError, match="expected a file. Received: a folder, a link, a pipe or"
        ):
            check_output(path, force=True)
    with pytest.raises(
        InputError, match="expected a file. Received: a folder, a link, a pipe or"
    ):
        check_output(tmp_path / "link", force=True)
    with pytest.raises(InputError, match="the folder .* does not exist"):
        check_output(tmp_path / "a" / "b")


def test_an_output_folder_is_created_and_its_files_are_not_replaced(tmp_path):
    output = OutputFolder(tmp_path / "out")
    assert output.open(["a.csv"]) == tmp_path / "out"
    (tmp_path / "out" / "a.csv").write_text("precious")
    output.check(["b.csv"])
    with pytest.raises(InputError, match=r"a\.csv already exists"):
        output.check(["b.csv", "a.csv"])
    with pytest.raises(InputError, match="expected a folder. Received: a file"):
        OutputFolder(tmp_path / "out" / "a.csv").check(["b.csv"])


def test_only_the_default_folder_is_replaced_without_force(tmp_path):
    assert choose_output(None, False, tmp_path).force
    assert not choose_output(tmp_path, False, tmp_path).force
    assert choose_output(tmp_path, True, tmp_path).force


def test_every_file_of_a_finished_run_is_protected(run_copy):
    (run_copy / "answers_dev.npz").touch()
    files = [path for path in run_copy.rglob("*") if path.is_file()]
    names = {"config.yaml", "metrics.json", "history.csv", "training_rows.npz"}
    assert names <= {path.name for path in files}
    for path in files:
        with pytest.raises(InputError, match="files of a run folder"):
            check_output(path, force=True)
