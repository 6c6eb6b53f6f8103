"""What `--out` names is not overwritten by chance; nothing is loaded before that."""

import pytest

from tests.support.hostile_checks import assert_error, list_files

SUBMIT = ["RUN", "--matched", "PAIRS"]
OUTPUTS = {  # command -> its arguments, and a file that it writes
    "predict": (["RUN", "--file", "PAIRS", "--out", "OUT/a.jsonl"], "a.jsonl"),
    "encode": (["RUN", "--file", "PAIRS", "--out", "OUT/a.npy"], "a.npy"),
    "make_submission": ([*SUBMIT, "--out", "OUT"], "submission_matched.csv"),
    "lengths": (["RUN", "--out", "OUT"], "lengths.txt"),
    "visualize_attention": (
        ["RUN", "--sentence", "a", "--out", "OUT"],
        "case_study.json",
    ),
    "evaluate": (["RUN", "--predictions", "OUT/a.jsonl"], "a.jsonl"),
    "transfer": (["RUN", "--out", "OUT"], "transfer.md"),
    "reproduce": (
        ["dsa-1", "--no-training", "--runs", "OUT", "--out", "OUT"],
        "dsa-1-full.md",
    ),
}


@pytest.fixture
def call(scripts, tmp_path):
    """Call a command with the paths of this test."""
    (tmp_path / "out").mkdir()
    (tmp_path / "pairs.txt").write_text("a\tb\n")

    def call(command, *further):
        names = {"RUN": "run", "OUT": "out", "PAIRS": "pairs.txt"}
        arguments = [*OUTPUTS[command][0], *further]
        for name, file in names.items():
            arguments = [a.replace(name, str(tmp_path / file)) for a in arguments]
        return getattr(scripts, command).main(arguments)

    return call


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_file_that_is_there_needs_force(command, call, tmp_path, capsys):
    path = tmp_path / "out" / OUTPUTS[command][1]
    path.write_text("precious")
    before = list_files(tmp_path)
    assert_error(call(command), capsys, f"{path} already exists. --force replaces it")
    assert path.read_text() == "precious" and list_files(tmp_path) == before
    assert call(command, "--force") == 2  # there is no run
    assert "already exists" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["predict", "encode"])
def test_neither_an_input_nor_a_file_of_a_run_is_overwritten(
    command, call, tmp_path, capsys
):
    suffix = {"predict": ".txt", "encode": ".npy"}[command]
    file, run = tmp_path / f"in{suffix}", tmp_path / "run"
    file.write_text("a\tb\n")
    run.mkdir()
    (run / "config.yaml").write_text("seed: 13\n")
    arguments = ["--force", "--file", str(file)]
    assert_error(
        call(command, *arguments, "--out", str(file)), capsys, "an input file cannot"
    )
    if command == "predict":
        out = ["--out", str(run / "best.weights.h5")]
        assert_error(call(command, *arguments, *out), capsys, "files of a run folder")
        assert_error(
            call(command, *arguments, "--out", "/dev/full"), capsys, "expected a file"
        )
    assert file.read_text() == "a\tb\n"
    assert [path.name for path in run.iterdir()] == ["config.yaml"]
