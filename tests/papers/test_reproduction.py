import json
import pathlib

import pytest

from dsa.papers.table import Measure, Row, Table
from dsa.papers.table_files import load_tables
from tests.support.runs import SMALL_MODEL, write_experiment

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def small_table(tmp_path, monkeypatch):
    """A table with one trainable row, the small experiment."""
    config = write_experiment(tmp_path, model=SMALL_MODEL)
    table = Table(
        "Small",
        "snli",
        (Row("small", str(config)), Row("other")),
        (Measure("test", ("test", "dev")),),
    )
    monkeypatch.setitem(load_tables(), "small", table)
    return table


@pytest.mark.slow
def test_reproduce_trains_missing_runs_once(small_table, tmp_path, scripts, capfd):
    arguments = ["small", "--seeds", "3", "--data-root", str(tmp_path)]
    arguments += ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "tables")]
    assert scripts.reproduce.main([*arguments, "--no-training"]) == 2
    assert "does not exist" in capfd.readouterr().err
    (tmp_path / "runs").mkdir()
    assert scripts.reproduce.main([*arguments, "--no-training"]) == 0
    assert "no finished run: small, seed 3" in capfd.readouterr().out
    assert scripts.reproduce.main(arguments) == 2
    assert "small-full.csv already exists. --force" in capfd.readouterr().err
    arguments += ["--force"]
    assert scripts.reproduce.main(arguments) == 0
    (run,) = (tmp_path / "runs").rglob("seed-3")
    printed = capfd.readouterr().out
    assert "pairs/s" in printed or "best dev" in printed
    table = (tmp_path / "tables" / "small-full.md").read_text()
    assert table in printed and ", test, n = " in table
    before = (run / "metrics.json").read_text()
    assert scripts.reproduce.main(arguments) == 0
    assert "best dev" not in capfd.readouterr().out
    assert (run / "metrics.json").read_text() == before  # test is evaluated once
    assert (tmp_path / "tables" / "small-full.md").read_text() == table
    splits = [entry["split"] for entry in json.loads(before)["evaluations"]]
    assert splits.count("test") == 1
    run.rename(tmp_path / "elsewhere")
    assert scripts.reproduce.main([*arguments, "--no-training"]) == 2
    assert "small-full.md was not overwritten" in capfd.readouterr().err
    assert (tmp_path / "tables" / "small-full.md").read_text() == table


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["dsa-9"], "unknown table 'dsa-9'. Known: dsa-1, dsa-2"),
        (["dsa-1", "--seeds", "1", "1"], "--seeds must be distinct"),
    ],
)
def test_a_wrong_command_is_an_error(scripts, capsys, arguments, message):
    assert scripts.reproduce.main(arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", ["dsa-1-partial", "abcnn-3-small"])
def test_a_table_of_the_page_is_made_from_the_committed_runs_in_any_folder(
    scripts, name, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    table, _, preset = name.rpartition("-")
    arguments = [table, "--preset", preset, "--no-training"]
    arguments += ["--seeds", "13", "14", "15", "--runs", str(CHECKOUT / "results")]
    arguments += ["--out", str(tmp_path), "--data-root", str(tmp_path), "--force"]
    assert scripts.reproduce.main(arguments) == 0
    text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    page = (CHECKOUT / "docs/paper_tables.md").read_text(encoding="utf-8")
    assert text.removeprefix("## ") in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "dsa", "dsa-1"], "Write TABLE before --rows and --seeds"),
        (["dsa-1", "--no-training", "--workers", "4"], "--workers cannot be combined"),
        (["dsa-1", "--no-training", "--cores", "2"], "--cores cannot be combined"),
    ],
)
def test_options_without_effect_are_an_error(scripts, capsys, arguments, message):
    assert scripts.reproduce.main(arguments) == 2
    assert message in capsys.readouterr().err
