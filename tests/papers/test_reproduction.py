import csv
import json
import pathlib

import pytest

from dsa.papers.table import Measure, Row, Table
from dsa.papers.table_files import load_tables
from tests.support.runs import write_experiment

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def small_table(tmp_path, monkeypatch):
    """A table with one trainable row, the small experiment."""
    config = write_experiment(tmp_path)
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
    assert "no such folder" in capfd.readouterr().err
    (tmp_path / "runs").mkdir()
    assert scripts.reproduce.main([*arguments, "--no-training"]) == 0
    assert "no finished run: small, seed 3" in capfd.readouterr().out
    assert scripts.reproduce.main(arguments) == 2
    assert "small-full.csv is there already. --force" in capfd.readouterr().err
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
    assert "small-full.md is not overwritten" in capfd.readouterr().err
    assert (tmp_path / "tables" / "small-full.md").read_text() == table


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["dsa-9"], "unknown table 'dsa-9'. Known: dsa-1, dsa-2"),
        (["dsa-1", "--seeds", "1", "1"], "a seed is given twice"),
    ],
)
def test_a_wrong_command_is_an_error(scripts, capsys, arguments, message):
    assert scripts.reproduce.main(arguments) == 2
    assert message in capsys.readouterr().err


def reproduce(scripts, path, out):
    """Regenerates a committed table from committed results; returns the exit code."""
    name, _, preset = path.stem.rpartition("-")
    with path.with_suffix(".csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    seeds = sorted({seed for row in rows for seed in row["seeds"].split()})
    arguments = [name, "--preset", preset, "--no-training", "--seeds", *seeds]
    arguments += ["--runs", str(CHECKOUT / "results")]
    arguments += ["--out", str(out), "--data-root", str(out), "--force"]
    return scripts.reproduce.main(arguments)


def test_the_committed_tables_match_the_committed_results(scripts, tmp_path):
    tables = sorted((CHECKOUT / "results/tables").glob("*.md"))
    assert tables
    for path in tables:
        assert reproduce(scripts, path, tmp_path) == 0
        for suffix in (".md", ".csv"):
            table = (tmp_path / path.with_suffix(suffix).name).read_bytes()
            assert table == path.with_suffix(suffix).read_bytes(), path


def test_a_table_does_not_depend_on_the_working_directory(
    scripts, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    committed = CHECKOUT / "results/tables/dsa-1-partial.md"
    assert reproduce(scripts, committed, tmp_path) == 0
    assert (tmp_path / committed.name).read_bytes() == committed.read_bytes()
