import csv
import io
import json

import pytest
import yaml

from dsa.data.corpora.files import fingerprint
from dsa.experiment.run_folder import RunFolder
from dsa.papers.comparison import records
from dsa.papers.comparison_text import markdown
from dsa.papers.published import DSA, paper_rows, paper_value
from dsa.papers.table import Measure, Row, Table
from dsa.papers.tables import TABLES
from dsa.storage.text_tables import comma_separated
from tests.support.runs import SETTINGS

NAME = "Our Distance-based Self-Attention Network"
WITHOUT = "Our self-attention network (without distance mask)"
TABLE = TABLES["dsa-1"]


def run_folder(path, seed=1, pairs=549_367, **accuracies):
    """A run as far as tables read it; `accuracies` by split, of 400 pairs."""
    path.mkdir()
    settings = {**SETTINGS, "seed": seed}
    (path / "config.yaml").write_text(yaml.safe_dump(settings))
    facts = {
        "run_format": 1,
        "sha256": {},
        "commit": "0123456789",
        "device": "CPU, slow",
        "pairs": {"train": pairs, "dev": 400},
        "parameters": {"trainable_without_embeddings": 4_697_403},
        "steps": 50,
        "steps_per_epoch": 20,
        "seconds_per_epoch": 100.0 * seed,
        "wall_seconds": 1000.0,
    }
    (path / "environment.json").write_text(json.dumps(facts))
    run = RunFolder(path)
    for split, accuracy in accuracies.items():
        entry = {"split": split, "accuracy": accuracy, "count": 400}
        run.add_metrics({**entry, "sha256": split})
    return run


def records_of(table, runs, preset="full"):
    """Without any data at hand."""
    return records(table, runs, "nowhere", preset)


def line_of(text, name):
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {name} |"))
    return line


def test_a_row_has_mean_range_and_difference_in_standard_errors(tmp_path):
    runs = [
        run_folder(tmp_path / "a", 1, dev=0.5, test=0.84),
        run_folder(tmp_path / "b", 2, dev=0.5, test=0.86),
        run_folder(tmp_path / "c", 4, dev=0.5, test=0.85),
    ]
    (row,) = (r for r in records_of(TABLE, {NAME: runs}) if r["model"] == NAME)
    assert row["test ours"] == pytest.approx(85)
    assert (row["test min"], row["test max"]) == (84, 86)
    assert row["test standard deviation"] == pytest.approx(1)
    # sqrt(86.3 x 13.7 / 400) = 1.71923 points; (85 - 86.3) / 1.71923
    assert row["test difference"] == pytest.approx(-0.75615, abs=1e-4)
    assert (row["test split"], row["test pairs"]) == ("test", 400)
    assert row["seconds an epoch"] == 200 and row["seeds"] == "1 2 4"
    assert row["test evaluations a run"] == 1 and row["partial"] is False
    assert row["train ours"] is None and row["train paper"] == 89.6


def test_dev_stands_for_test_where_test_was_not_evaluated_and_is_called_dev(tmp_path):
    text = markdown(
        TABLE, records_of(TABLE, {NAME: [run_folder(tmp_path / "a", dev=0.75)]})
    )
    assert "75.00, dev, n = 400" in line_of(text, NAME)
    assert "- test: ours on dev, the paper's on test." in text


def test_dev_is_not_taken_for_one_run_and_test_for_another(tmp_path):
    runs = [
        run_folder(tmp_path / "a", dev=0.7, test=0.9),
        run_folder(tmp_path / "b", 2, dev=0.8),
    ]
    (row,) = (r for r in records_of(TABLE, {NAME: runs}) if r["model"] == NAME)
    assert (row["test split"], row["test ours"]) == ("dev", pytest.approx(75))


def test_evaluations_of_different_files_are_not_averaged(tmp_path):
    runs = [run_folder(tmp_path / str(n), n, dev=0.5, test=0.8) for n in (1, 2)]
    runs[1].add_metrics(
        {"split": "test", "accuracy": 1.0, "count": 6, "sha256": "other"}
    )
    (row,) = (r for r in records_of(TABLE, {NAME: runs}) if r["model"] == NAME)
    assert (row["test split"], row["test ours"]) == ("dev", pytest.approx(50))


def test_an_evaluation_of_another_file_than_the_one_at_hand_does_not_count(tmp_path):
    run = run_folder(tmp_path / "a", dev=0.5)
    (tmp_path / "test.jsonl").write_text("x")
    sha256 = fingerprint(tmp_path / "test.jsonl")
    for accuracy, name in ((0.8, sha256), (0.1, "other")):
        entry = {"split": "test", "accuracy": accuracy, "count": 9, "sha256": name}
        run.add_metrics(entry)
    (row,) = (r for r in records(TABLE, {NAME: [run]}, tmp_path) if r["model"] == NAME)
    assert (row["test split"], row["test ours"]) == ("test", pytest.approx(80))
    assert row["test evaluations a run"] == 2


def test_a_preset_is_no_reproduction_even_on_all_pairs(tmp_path):
    run = run_folder(tmp_path / "a", dev=0.8)
    text = markdown(TABLE, records_of(TABLE, {NAME: [run]}, "partial"))
    assert "preset `partial`, not the published ones: no reproduction" in text


def test_runs_of_different_sizes_are_shown_as_that(tmp_path):
    sizes = enumerate((549_367, 40_000))
    runs = [run_folder(tmp_path / f"{n}", seed, n, dev=0.8) for seed, n in sizes]
    text = markdown(TABLE, records_of(TABLE, {NAME: runs}))
    assert "**40000 / 549367 pairs, 7 %, partial**" in line_of(text, NAME)


def test_partial_data_are_marked_and_whole_ones_are_not(tmp_path):
    whole, part = (
        run_folder(tmp_path / "a", dev=0.8),
        run_folder(tmp_path / "b", pairs=549_366, dev=0.8),
    )
    text = markdown(TABLE, records_of(TABLE, {NAME: [whole], WITHOUT: [part]}))
    assert "partial" not in line_of(text, NAME)
    marked = "**549,366 pairs, 100 %, partial**, 2.5 epochs, 8-d vectors"
    assert marked in line_of(text, WITHOUT)
    assert "no reproduction" in text
    assert "partial" not in markdown(TABLE, records_of(TABLE, {NAME: [whole]}))


def test_rows_that_are_not_implemented_carry_the_papers_number_and_dashes():
    rows = records_of(TABLE, {})
    assert len(rows) == 15 == len({row["model"] for row in rows})
    line = line_of(markdown(TABLE, rows), "300D SPINN-PI encoders (Bowman et al. 2016)")
    assert line.split("|")[2:-1] == [
        *(f" {cell} " for cell in ("-", "-", "89.2", "-", "83.2", "-", "-")),
        *(f" {cell} " for cell in ("3.7m / -", "- / -", "-", "-")),
    ]


def test_the_csv_has_every_record_with_its_numbers(tmp_path):
    rows = records_of(TABLE, {NAME: [run_folder(tmp_path / "a", dev=2 / 3)]})
    read = list(csv.DictReader(io.StringIO(comma_separated(rows))))
    assert [row["model"] for row in read] == [row["model"] for row in rows]
    assert float(read[-1]["test ours"]) == pytest.approx(200 / 3, abs=1e-9)
    assert read[0]["test ours"] == ""


def test_a_table_without_a_paper_has_no_column_of_it(tmp_path):
    table = Table("Ablations", "snli", (Row("one"),), (Measure("dev", ("dev",)),))
    rows = records_of(table, {"one": [run_folder(tmp_path / "a", dev=0.8)]})
    text = markdown(table, rows)
    assert "paper:" not in text and "| difference |" not in text
    assert "80.00, dev, n = 400" in line_of(text, "one")


def test_a_papers_number_is_found_by_model_and_split():
    assert paper_value(NAME) == "86.3"
    assert paper_value(NAME, split="train") == "89.6"
    with pytest.raises(KeyError):
        paper_value("another")
    with pytest.raises(KeyError):
        paper_rows(DSA, "Table 9")


def folded(path, seed, fold, accuracy, count):
    run = run_folder(path, seed)
    run.add_metrics(
        {"split": "test", "accuracy": accuracy, "count": count, "sha256": "x"}
    )
    return run


def test_a_cross_validation_is_one_value_a_seed_over_all_rows(tmp_path):
    table = Table("Folds", "cr", (Row("one"),), (Measure("test", ("test",)),), folds=2)
    runs = [
        folded(tmp_path / "a", 1, 0, 0.5, 10),
        folded(tmp_path / "b", 1, 1, 0.8, 20),
        folded(tmp_path / "c", 2, 0, 0.9, 10),
        folded(tmp_path / "d", 2, 1, 0.9, 20),
        folded(tmp_path / "e", 3, 0, 0.1, 10),  # its other fold is missing
    ]
    (row,) = records_of(table, {"one": runs})
    assert row["seeds"] == "1 2" and row["test pairs"] == 30
    assert (row["test min"], row["test max"]) == pytest.approx((70, 90))
    assert row["test ours"] == pytest.approx(80)
    assert row["partial"] is False


def test_the_numbers_of_a_paper_are_those_of_the_metric_and_the_corpus(tmp_path):
    rows = records_of(TABLES["disan-4"], {})
    (disan,) = (row for row in rows if row["model"] == "DiSAN")
    assert (disan["pearson paper"], disan["mse paper"]) == (0.8695, 0.2879)
    (disan,) = (
        r for r in records_of(TABLES["disan-5-cr"], {}) if r["model"] == "DiSAN"
    )
    assert disan["test paper"] == 84.8  # not its standard deviation, 2.0
    names = [row.name for row in TABLES["disan-5-trec"].rows]
    assert len(names) == len(set(names)) and "DCNN (Kalchbrenner et al. 2014)" in names


def test_a_cross_validation_says_that_each_row_is_tested_by_a_run_of_its_own(tmp_path):
    table = TABLES["disan-5-cr"]
    runs = [
        run_folder(tmp_path / str(n), 1, 90, dev=0.5, test=n / 10) for n in range(10)
    ]
    text = markdown(table, records_of(table, {"DiSAN": runs}))
    assert "| 90 sentences, 2.5 epochs" in line_of(text, "DiSAN")
    assert "| 45.00, test, n = 4,000 |" in line_of(text, "DiSAN")
    assert "- test: ours on the rows of all 10 folds, by a run each, as test" in text
