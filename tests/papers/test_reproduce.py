import csv
import json
import pathlib
import shutil

import pytest

from dsa.data.corpora.files import find_file
from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder, is_finished
from dsa.experiment.yaml_file import load_experiment
from dsa.papers.plans import chosen, planned
from dsa.papers.presets import PRESETS
from dsa.papers.table import Measure, Row, Table
from dsa.papers.tables import TABLES
from dsa.sweeps.finished_runs import Runs, missing_evaluations
from dsa.sweeps.plans import assignments
from tests.support.runs import write_experiment


@pytest.mark.parametrize(
    ("name", "preset"),
    [(n, p) for n in TABLES for p in PRESETS if TABLES[n].corpus in PRESETS[p]],
)
def test_every_row_of_every_table_has_its_experiment(name, preset):
    table = TABLES[name]
    plans = planned(table, preset, [1, 2])
    experiments = [experiment.model_dump_json() for _, _, experiment, _ in plans]
    assert (
        len(set(experiments))
        == len(plans)
        == 2 * (table.folds or 1) * sum(row.config is not None for row in table.rows)
    )
    paths = [path for _, _, _, path in plans]
    assert len(set(paths)) == len(plans)


def test_a_preset_of_another_corpus_is_refused():
    with pytest.raises(InputError, match="'small' is not for tables on snli"):
        planned(TABLES["dsa-1"], "small", [1])


def test_some_rows_can_be_trained_alone():
    plans = planned(TABLES["snli-models"], "full", [1, 2])
    some = chosen(plans, ["ESIM", "DSA"])
    assert [row.name for row, *_ in some] == ["DSA", "DSA", "ESIM", "ESIM"]
    assert chosen(plans, None) == plans
    with pytest.raises(InputError, match="no row 'esim' to train. Known: 'DSA', "):
        chosen(plans, ["DSA", "esim"])


def test_the_ablations_differ_from_dsa_in_one_setting_each():
    (dsa,) = (
        e.model_dump()["model"]
        for row, _, e, _ in planned(TABLES["dsa-ablations"], "full", [1])
        if row.name.startswith("DSA")
    )
    for row, _, experiment, _ in planned(TABLES["dsa-ablations"], "full", [1]):
        model = experiment.model_dump()["model"]
        changed = [key for key in dsa if model[key] != dsa[key]]
        assert len(changed) == (0 if row.name.startswith("DSA") else 1), row.name


def test_assignments_say_the_same_to_the_training_script(tmp_path):
    config = "configs/snli/dsa.yaml"
    overrides = {"data.train": "x.jsonl", "training.epochs": 4, "data.mix": None}
    from dsa.experiment.yaml_file import parse_overrides

    assert parse_overrides(assignments(overrides)) == overrides
    assert load_experiment(config, overrides).training.epochs == 4


@pytest.fixture
def small_table(tmp_path, monkeypatch):
    """A table of one row, the small experiment, in a folder of its own."""
    config = write_experiment(tmp_path)
    table = Table(
        "Small",
        "snli",
        (Row("small", str(config)), Row("other")),
        (Measure("test", ("test", "dev")),),
    )
    monkeypatch.setitem(TABLES, "small", table)
    monkeypatch.setitem(PRESETS, "full", {"snli": {}})
    return table


def test_reproduce_trains_what_is_missing_once(small_table, tmp_path, scripts, capfd):
    arguments = ["small", "--seeds", "3", "--data-root", str(tmp_path)]
    arguments += ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "tables")]
    assert scripts.reproduce.main([*arguments, "--no-training"]) == 2
    assert "no such folder" in capfd.readouterr().err
    (tmp_path / "runs").mkdir()
    assert scripts.reproduce.main([*arguments, "--no-training"]) == 0
    assert "no finished run: small, seed 3" in capfd.readouterr().out
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


def test_a_run_is_found_by_what_it_is_wherever_it_lies(finished, tmp_path):
    shutil.copytree(finished / "run", tmp_path / "a" / "b")
    experiment = load_experiment(finished / "small.yaml")
    found = Runs(tmp_path, finished).find(experiment)
    assert found.path == tmp_path / "a" / "b"
    other = load_experiment(finished / "small.yaml", {"training.epochs": 3})
    assert Runs(tmp_path, finished).find(other) is None


def test_a_run_on_other_data_is_another_run(finished, run_copy, tmp_path):
    experiment = load_experiment(finished / "small.yaml")
    data = tmp_path / "data"
    data.mkdir()
    runs = Runs(run_copy, data)
    assert runs.find(experiment) is not None  # no file at hand that could differ
    shutil.copy(finished / "train.jsonl", data)
    assert Runs(run_copy, data).find(experiment) is not None
    with open(find_file(data, "train.jsonl"), "a") as file:
        file.write("\n")
    assert Runs(run_copy, data).find(experiment) is None


def test_an_unfinished_run_is_not_found(finished, run_copy):
    experiment = load_experiment(finished / "small.yaml")
    run = RunFolder(run_copy)
    facts = run.environment()
    unfinished = {**facts, "steps": facts["steps"] - 1, "stopped": False}
    run.write_json("environment.json", unfinished)
    assert Runs(run_copy, finished).find(experiment) is None
    run.write_json("environment.json", facts)
    assert Runs(run_copy, finished).find(experiment) is not None


def test_a_run_that_stopped_early_is_finished(run_copy):
    run = RunFolder(run_copy)
    assert run.environment()["stopped"] and is_finished(run)
    for stopped in (True, False):
        facts = {**run.environment(), "steps": 4, "stopped": stopped}
        run.write_json("environment.json", facts)
        assert is_finished(run) is stopped


def test_only_splits_at_hand_that_were_not_evaluated_are(finished, run_copy, tmp_path):
    table = Table("", "snli", (), (Measure("x", ("train", "test", "dev")),))
    run = RunFolder(run_copy)
    assert missing_evaluations(run, table, finished) == ["train", "test"]
    assert missing_evaluations(run, table, tmp_path) == []


def test_a_damaged_run_is_left_out(finished, run_copy):
    experiment = load_experiment(finished / "small.yaml")
    (run_copy / "environment.json").write_text("{")
    assert Runs(run_copy, finished).find(experiment) is None


def test_an_evaluation_of_another_file_is_made_again(finished, run_copy, tmp_path):
    table = Table("", "snli", (), (Measure("dev", ("dev",)),))
    run = RunFolder(run_copy)
    assert missing_evaluations(run, table, finished) == []
    shutil.copy(finished / "train.jsonl", tmp_path / "dev.jsonl")
    assert missing_evaluations(run, table, tmp_path) == ["dev"]


def test_a_folder_that_is_no_run_does_not_stop_the_search(finished, tmp_path):
    (tmp_path / "config.yaml").write_text("a: [")
    experiment = load_experiment(finished / "small.yaml")
    assert Runs(tmp_path, finished).find(experiment) is None


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["dsa-9"], "unknown table 'dsa-9'. Known: dsa-1, dsa-2"),
        (["dsa-1", "--seeds", "1", "1"], "a seed is given twice"),
    ],
)
def test_a_wrong_command_is_refused(scripts, capsys, arguments, message):
    assert scripts.reproduce.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_committed_tables_are_made_from_the_committed_results(scripts, tmp_path):
    tables = sorted(pathlib.Path("results/tables").glob("*.md"))
    assert tables
    for path in tables:
        name, _, preset = path.stem.rpartition("-")
        arguments = [name, "--preset", preset, "--no-training", "--runs", "results"]
        arguments += ["--out", str(tmp_path), "--data-root", str(tmp_path)]
        with path.with_suffix(".csv").open(newline="") as file:
            seeds = {
                seed for row in csv.DictReader(file) for seed in row["seeds"].split()
            }
        arguments += ["--seeds", *sorted(seeds)]
        assert scripts.reproduce.main(arguments) == 0
        for suffix in (".md", ".csv"):
            made = (tmp_path / path.with_suffix(suffix).name).read_text()
            assert made == path.with_suffix(suffix).read_text(), path
