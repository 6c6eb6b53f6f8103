"""The table of runs that differ in a few settings."""

import json

import pytest

from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from tools.docs_tables.study_tables import write_settings_table

COLUMNS = {"norms": "model.norm", "times": "model.word_scale", "epochs": "epochs"}


@pytest.fixture
def write_run(tmp_path):
    def write(name, norm, scale, split="dev"):
        folder = tmp_path / "results/study" / name
        folder.mkdir(parents=True)
        settings = {"model": {"norm": norm, "word_scale": scale}, "epochs": None}
        (folder / "config.yaml").write_text(json.dumps({**settings, "seed": 13}))
        (folder / "environment.json").write_text('{"commit": "0123456789"}')
        entry = {"split": split, "accuracy": 0.5, "standard_error": 0.005}
        text = json.dumps({"evaluations": [entry]})
        (folder / "metrics.json").write_text(text)

    return write


def test_a_line_for_each_run_in_the_order_of_the_folders(write_run, tmp_path):
    write_run("b", "pre", 3.0)
    write_run("a", "post", None)
    lines = write_settings_table(["study"], COLUMNS, tmp_path).splitlines()
    assert lines[0] == "| norms | times | epochs | dev | seed, commit |"
    assert lines[2].startswith("| post | null | null | 50.00 % +- 0.50")
    assert lines[3].startswith("| pre | 3.0 | null | 50.00 % +- 0.50")
    assert lines[2].endswith("| 13, `0123456` |")
    assert len(lines) == 4


@pytest.mark.parametrize(
    "facts, name",
    [
        ({"commit": "0123456789", "uncommitted_changes": True}, "0123456 + changes"),
        (
            {"commit": "0123456789", "earlier_parts": [{"commit": "789abcdef"}]},
            "789abcd then 0123456",
        ),
        ({"commit": "0123456789", "uncommitted_changes": False}, "0123456"),
        ({"commit": None, "uncommitted_changes": None}, "unknown"),
    ],
)
def test_a_number_computed_by_changed_code_is_marked(write_run, tmp_path, facts, name):
    write_run("a", "pre", 3.0)
    environment = tmp_path / "results/study/a/environment.json"
    environment.write_text(json.dumps(facts))
    table = write_settings_table(["study"], COLUMNS, tmp_path)
    assert table.endswith(f"| 13, `{name}` |")


def test_folders_stand_in_the_order_given(write_run, tmp_path):
    write_run("b", "pre", 3.0)
    write_run("a", "post", None)
    lines = write_settings_table(["study/b", "study/a"], COLUMNS, tmp_path).splitlines()
    assert [line.split()[1] for line in lines[2:]] == ["pre", "post"]


def test_a_run_without_dev_or_a_setting_is_refused(write_run, tmp_path):
    write_run("a", "pre", 3.0)
    with pytest.raises(KeyError, match="heads"):
        write_settings_table(["study"], {"heads": "model.heads"}, tmp_path)
    write_run("b", "pre", 3.0, split="test")
    with pytest.raises(KeyError, match="dev"):
        write_settings_table(["study"], COLUMNS, tmp_path)


def test_evaluations_of_a_changed_run_are_left_out(write_run, tmp_path):
    write_run("a", "pre", 3.0)
    run = RunFolder(tmp_path / "results/study/a")
    run.add_metrics({**run.metrics()[0], "accuracy": 0.9, "verified": False})
    assert "50.00 %" in write_settings_table(["study"], COLUMNS, tmp_path)


def test_no_runs_are_no_table(tmp_path):
    with pytest.raises(InputError, match="no results below"):
        write_settings_table(["study"], COLUMNS, tmp_path)
