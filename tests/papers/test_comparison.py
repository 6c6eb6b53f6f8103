import csv
import io
import json

import pytest
import yaml

from dsa.papers.comparison import compare_rows, records_to_csv
from dsa.papers.comparison_text import format_comparison
from dsa.papers.paper_numbers import Source
from dsa.papers.table import Measure, Row, Table
from dsa.papers.table_files import find_table
from dsa.runs.run_folder import RunFolder
from dsa.system.reading import fingerprint
from tests.support.runs import SETTINGS

NAME = "Our Distance-based Self-Attention Network"
WITHOUT = "Our self-attention network (without distance mask)"
TABLE = find_table("dsa-1")
TITLE = "DSA (Im & Cho)"  # of NAME


def run_folder(path, seed=1, pairs=549_367, **accuracies):
    """Writes the files of a run that tables read; `accuracies` by split, 400 pairs."""
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


def compare(table, runs, preset="full"):
    """Compares without a data root."""
    return compare_rows(table, runs, "nowhere", preset)


def write(table, runs, preset="full"):
    return format_comparison(table, compare(table, runs, preset))


def compare_one(name, table, runs, root="nowhere"):
    """Returns the record of a row."""
    records = compare_rows(table, {name: runs}, root)
    (row,) = (record for record in records if record["model"] == name)
    return row


def find_line(text, name):
    """Returns the first line of a row: our runs, else the paper's numbers."""
    title = {row.name: row.title for row in TABLE.rows}.get(name, name)
    return next(line for line in text.splitlines() if line.startswith(f"| {title} |"))


def test_a_row_has_mean_range_and_difference_in_standard_errors(tmp_path):
    runs = [
        run_folder(tmp_path / "a", 1, dev=0.5, test=0.84),
        run_folder(tmp_path / "b", 2, dev=0.5, test=0.86),
        run_folder(tmp_path / "c", 4, dev=0.5, test=0.85),
    ]
    row = compare_one(NAME, TABLE, runs)
    assert row["test ours"] == pytest.approx(85)
    assert (row["test min"], row["test max"]) == (84, 86)
    assert row["test standard deviation"] == pytest.approx(1)
    # sqrt(86.3 x 13.7 / 400) = 1.71923 points; (85 - 86.3) / 1.71923
    assert row["test difference"] == pytest.approx(-0.75615, abs=1e-4)
    assert (row["test split"], row["test pairs"]) == ("test", 400)
    assert row["seconds per epoch"] == 200 and row["seeds"] == [1, 2, 4]
    assert row["test evaluations per run"] == 1 and row["partial"] is False
    assert row["train ours"] is None and row["train paper"] == "89.6"


def test_dev_replaces_test_and_is_named_if_test_was_not_evaluated(tmp_path):
    runs = [run_folder(tmp_path / "a", dev=0.75)]
    text = write(TABLE, {NAME: runs})
    assert find_line(text, NAME) == f"| {TITLE} | - | 75.00, dev, n = 400 |"
    assert "- test: ours on dev, the paper's on test." in text
    assert compare_one(NAME, TABLE, runs)["test difference"] is None
    assert "| difference: test |" not in text and " SE" not in text


def test_ours_on_test_is_beside_the_papers_number(tmp_path):
    text = write(TABLE, {NAME: [run_folder(tmp_path / "a", train=0.9, test=0.86)]})
    cells = "89.6 | 90.00, train, n = 400 | 86.3 | 86.00, test, n = 400 | -0.2 SE |"
    assert find_line(text, NAME) == f"| {TITLE} | {cells}"


def test_a_single_seed_and_a_mean_of_several_are_in_separate_tables(tmp_path):
    runs = {
        NAME: [run_folder(tmp_path / str(n), n, dev=0.5) for n in (1, 2)],
        WITHOUT: [run_folder(tmp_path / "one", 1, dev=0.5)],
    }
    first, second, papers, costs = write(TABLE, runs).split("\n\n| model |")[1:]
    assert (
        f"| {TITLE} |" in first and f"| {TITLE}, without distance mask |" not in first
    )
    assert (
        f"| {TITLE}, without distance mask |" in second and f"| {TITLE} |" not in second
    )
    assert f"| {TITLE} | 89.6 | 86.3 | 4.7m | 693 |" in papers
    trained = "2.5 epochs, 8-d vectors | 4,697,403 | 150 | 1,000 | 0 |"
    assert f"| {TITLE} | {trained}" in costs


def test_training_data_of_all_rows_are_in_the_heading(tmp_path):
    runs = {
        NAME: [run_folder(tmp_path / "a", dev=0.5)],
        WITHOUT: [run_folder(tmp_path / "b", dev=0.5)],
    }
    text = write(TABLE, runs)
    assert text.count("549,367 pairs") == 1
    assert "Seeds: 1, trained on 549,367 pairs.\n" in text


def test_pairs_of_another_corpus_are_marked_if_the_paper_has_none(tmp_path):
    run = run_folder(tmp_path / "a", dev=0.5)
    facts = run.environment()
    run.write_json("environment.json", {**facts, "pairs": {**facts["pairs"], "mix": 7}})
    text = write(find_table("dsa-2"), {f"{NAME} [SNLI mix: no]": [run]})
    assert " + 7 of another corpus (the paper: none)" in text


def test_all_runs_of_a_row_use_the_same_split(tmp_path):
    runs = [
        run_folder(tmp_path / "a", dev=0.7, test=0.9),
        run_folder(tmp_path / "b", 2, dev=0.8),
    ]
    row = compare_one(NAME, TABLE, runs)
    assert (row["test split"], row["test ours"]) == ("dev", pytest.approx(75))


def test_evaluations_of_different_files_are_not_averaged(tmp_path):
    runs = [run_folder(tmp_path / str(n), n, dev=0.5, test=0.8) for n in (1, 2)]
    runs[1].add_metrics(
        {"split": "test", "accuracy": 1.0, "count": 6, "sha256": "other"}
    )
    row = compare_one(NAME, TABLE, runs)
    assert (row["test split"], row["test ours"]) == ("dev", pytest.approx(50))


def test_evaluations_of_changed_files_are_ignored(
    tmp_path,
):
    run = run_folder(tmp_path / "a", dev=0.5)
    (tmp_path / "test.jsonl").write_text("x")
    sha256 = fingerprint(tmp_path / "test.jsonl")
    for accuracy, name in ((0.8, sha256), (0.1, "other")):
        entry = {"split": "test", "accuracy": accuracy, "count": 9, "sha256": name}
        run.add_metrics(entry)
    row = compare_one(NAME, TABLE, [run], tmp_path)
    assert (row["test split"], row["test ours"]) == ("test", pytest.approx(80))
    assert row["test evaluations per run"] == 2


def test_a_preset_on_all_pairs_is_marked_as_no_reproduction(tmp_path):
    run = run_folder(tmp_path / "a", dev=0.8)
    text = write(TABLE, {NAME: [run]}, "partial")
    assert "preset `partial` instead of the published settings. They do not" in text


def test_different_training_sizes_are_joined(tmp_path):
    sizes = enumerate((549_367, 40_000))
    runs = [run_folder(tmp_path / f"{n}", seed, n, dev=0.8) for seed, n in sizes]
    text = write(TABLE, {NAME: runs})
    assert "**40000 / 549367 pairs, 7.3 %, partial**" in text


def test_uncommitted_changes_are_named_beside_the_commit(tmp_path):
    run = run_folder(tmp_path / "a", dev=0.8)
    run.write_json(
        "environment.json", {**run.environment(), "uncommitted_changes": True}
    )
    assert "Commit: 0123456 + changes." in write(TABLE, {NAME: [run]})


def test_only_partial_data_are_marked(tmp_path):
    whole, part = (
        run_folder(tmp_path / "a", dev=0.8),
        run_folder(tmp_path / "b", pairs=549_366, dev=0.8),
    )
    text = write(TABLE, {NAME: [whole], WITHOUT: [part]})
    assert "partial" not in find_line(text, NAME)
    assert "| **549,366 pairs, 99.9 %, partial** |" in find_line(text, WITHOUT)
    assert "trained on partial data. They do not reproduce the paper's" in text
    assert "partial" not in write(TABLE, {NAME: [whole]})


def test_a_single_epoch_is_no_plural(tmp_path):
    run = run_folder(tmp_path / "a", dev=0.8)
    run.write_json("environment.json", {**run.environment(), "steps": 20})
    assert "| 1 epoch, 8-d vectors |" in write(TABLE, {NAME: [run]})


def test_rows_without_a_config_have_the_papers_number():
    rows = compare(TABLE, {})
    assert len(rows) == 15 == len({row["model"] for row in rows})
    line = find_line(
        format_comparison(TABLE, rows), "300D SPINN-PI encoders (Bowman et al. 2016)"
    )
    assert line.endswith(" | 89.2 | 83.2 | 3.7m | - |")


def test_the_csv_has_every_record_with_its_numbers(tmp_path):
    rows = compare(TABLE, {NAME: [run_folder(tmp_path / "a", dev=2 / 3)]})
    read = list(csv.DictReader(io.StringIO(records_to_csv(rows))))
    assert [row["model"] for row in read] == [row["model"] for row in rows]
    assert float(read[-1]["test ours"]) == pytest.approx(200 / 3, abs=1e-9)
    assert read[0]["test ours"] == ""


def test_a_table_without_a_paper_has_no_paper_column(tmp_path):
    table = Table("Ablations", "snli", (Row("one"),), (Measure("dev", ("dev",)),))
    text = write(table, {"one": [run_folder(tmp_path / "a", dev=0.8)]})
    assert "paper:" not in text and "| difference:" not in text
    assert "80.00, dev, n = 400" in find_line(text, "one")


def test_a_papers_number_is_found_by_model_and_split():
    source = Source("DSA (Im & Cho 2017)", "Table 1")
    assert source.find_number(NAME).text == "86.3"
    assert source.find_number(NAME, split="train").value == 89.6
    assert source.find_number(NAME).params_millions == 4.7
    assert source.find_number(NAME).seconds_per_epoch == 693
    unlexicalised = source.find_number("Unlexicalized features (Bowman et al. 2015)")
    assert unlexicalised.params_millions is None
    with pytest.raises(KeyError):
        source.find_number("another")
    with pytest.raises(KeyError):
        Source("DSA (Im & Cho 2017)", "Table 9").read_numbers()
    with pytest.raises(KeyError):
        Source("DSA (Im & Cho 2017)", "Table 1", "MultiNLI").read_numbers()


def run_of_a_fold(path, seed, fold, accuracy, count):
    run = run_folder(path, seed)
    run.add_metrics(
        {"split": "test", "accuracy": accuracy, "count": count, "sha256": "x"}
    )
    return run


def test_a_cross_validation_has_one_value_per_seed_over_all_rows(tmp_path):
    table = Table("Folds", "cr", (Row("one"),), (Measure("test", ("test",)),), folds=2)
    runs = [
        run_of_a_fold(tmp_path / "a", 1, 0, 0.5, 10),
        run_of_a_fold(tmp_path / "b", 1, 1, 0.8, 20),
        run_of_a_fold(tmp_path / "c", 2, 0, 0.9, 10),
        run_of_a_fold(tmp_path / "d", 2, 1, 0.9, 20),
        run_of_a_fold(tmp_path / "e", 3, 0, 0.1, 10),  # its other fold is missing
    ]
    (row,) = compare(table, {"one": runs})
    assert row["seeds"] == [1, 2] and row["test pairs"] == 30
    assert (row["test min"], row["test max"]) == pytest.approx((70, 90))
    assert row["test ours"] == pytest.approx(80)
    assert row["partial"] is False


def test_a_papers_number_matches_metric_and_corpus(tmp_path):
    disan = compare_one("DiSAN", find_table("disan-4"), [])
    assert disan["pearson paper"] == "0.8695"
    assert disan["mse paper"] == "0.2879"
    disan = compare_one("DiSAN", find_table("disan-5-cr"), [])
    assert disan["test paper"] == "84.8"  # not its standard deviation, 2.0
    names = [row.name for row in find_table("disan-5-trec").rows]
    assert len(names) == len(set(names)) and "DCNN (Kalchbrenner et al. 2014)" in names


def test_the_notes_explain_the_folds_of_a_cross_validation(tmp_path):
    table = find_table("disan-5-cr")
    runs = [
        run_folder(tmp_path / str(n), 1, 90, dev=0.5, test=n / 10) for n in range(10)
    ]
    text = write(table, {"DiSAN": runs})
    assert "trained on 90 sentences." in text
    assert "| 45.00, test, n = 4,000 |" in find_line(text, "DiSAN")
    assert "- test: ours on test (each of the 10 folds by one run), the paper's" in text
