import csv
import dataclasses
import shutil

import numpy as np
import pytest

import dsa
from dsa.analysis.accuracy_by_length import (
    compute_average_lengths,
    correct_by_holm,
    describe_rows,
    make_buckets,
    measure_by_length,
)
from dsa.evaluation.evaluate import evaluate_split
from dsa.evaluation.splits import find_split
from dsa.runs.run_folder import RunFolder
from tests.support.corpora import rows as corpus_rows
from tests.support.corpora import write_jsonl


def test_every_pair_is_in_one_bucket_and_an_edge_belongs_to_the_lower_one():
    lengths = np.array([1, 5, 5.5, 10, 10.5, 99])
    named = dict(make_buckets(lengths, (5, 10)))
    assert {name: lengths[inside].tolist() for name, inside in named.items()} == {
        "0 to 5": [1, 5],
        "5 to 10": [5.5, 10],
        "above 10": [10.5, 99],
    }


def of_run(rows, run, bucket):
    (row,) = (r for r in rows if (r["run"], r["bucket"]) == (run, bucket))
    return row


def test_accuracy_and_wilson_interval_by_bucket():
    lengths = np.array([1.0] * 10 + [20.0] * 5)
    rows = measure_by_length(lengths, {"a": np.array([True] * 8 + [False] * 7)}, (10,))
    short = of_run(rows, "a", "0 to 10")
    assert (short["pairs"], short["right"], short["accuracy"]) == (10, 8, 0.8)
    # by hand: (p + z²/2n -+ z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n), z = 1.95996
    assert short["low"] == pytest.approx(0.49016, abs=1e-5)
    assert short["high"] == pytest.approx(0.94332, abs=1e-5)
    assert of_run(rows, "a", "above 10")["accuracy"] == 0
    assert of_run(rows, "a", "all")["accuracy"] == pytest.approx(8 / 15)
    assert short["p"] is None


def test_mcnemars_test_is_exact_and_paired():
    first = np.array([True] * 1 + [False] * 7 + [True] * 92)
    this = np.array([False] * 1 + [True] * 7 + [True] * 92)
    rows = measure_by_length(np.ones(100), {"a": first, "b": this}, (5,))
    row = of_run(rows, "b", "0 to 5")
    assert (row["only_first"], row["only_this"]) == (1, 7)
    assert row["difference"] == pytest.approx(0.06)
    assert row["p"] == pytest.approx(2 * (1 + 8) / 2**8)  # P(X <= 1 of 8) twice


def test_an_empty_bucket_has_no_accuracy():
    right = {"a": np.array([True]), "b": np.array([False])}
    rows = measure_by_length(np.array([3.0]), right, (5,))
    empty = of_run(rows, "b", "above 5")
    assert empty["pairs"] == 0 and empty["accuracy"] is None and empty["p"] is None
    assert (
        "above 5 tokens" not in describe_rows(rows, "x").partition("Compared with")[2]
    )


def test_equal_predictions_have_no_difference():
    same = np.array([True, False])
    rows = measure_by_length(np.array([3.0, 3]), {"a": same, "b": same}, (5,))
    assert of_run(rows, "b", "all")["p"] == 1
    assert "+0.00 points" in describe_rows(rows, "x")


def test_each_difference_is_described_with_its_p_values():
    lengths = np.array([1.0] * 100 + [20.0] * 4)
    first = np.array([False] * 50 + [True] * 50 + [True, False, True, True])
    this = np.array([True] * 100 + [True, True, True, True])
    text = describe_rows(
        measure_by_length(lengths, {"a": first, "b": this}, (10,)), "x.jsonl"
    )
    (short,) = (line for line in text.splitlines() if line.startswith("0 to 10 tokens"))
    assert (
        "(100 pairs): b +50.00 points; 50 pairs are correct only in this run" in short
    )
    assert short.endswith(", corrected 3.6e-15.")
    (long,) = (line for line in text.splitlines() if line.startswith("above 10"))
    assert "(4 pairs): b +25.00 points" in long
    assert long.endswith("p = 1, corrected 1.")
    assert "with\nHolm's correction for the number of buckets" in text


def test_the_description_of_sentences_mentions_no_pairs():
    rows = measure_by_length(
        np.ones(2), {"a": np.ones(2, bool), "b": np.zeros(2, bool)}, (5,)
    )
    text = describe_rows(rows, "x", unit="sentences")
    assert "by length, in tokens" in text and "pair" not in text
    assert (
        "All 2 sentences: b -100.00 points; 0 sentences are correct only in this run"
        in text
    )


def test_p_values_are_corrected_for_the_number_of_tests():
    # Holm: 3 x .01; 2 x .03 = .06, and the last is not below it
    assert correct_by_holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert correct_by_holm([0.6, 0.7]) == [1.0, 1.0] and correct_by_holm([]) == []


def test_a_small_p_value_of_one_bucket_is_corrected():
    first = np.array([False] * 6 + [True] * 594)  # 6 : 0 has p = .031
    lengths = np.repeat([1.0, 6, 11, 16, 21, 26], 100)
    right = {"a": first, "b": np.ones(600, bool)}
    rows = measure_by_length(lengths, right)
    row = of_run(rows, "b", "0 to 5")
    assert (row["p"], row["p_holm"]) == pytest.approx((2 / 64, 12 / 64))
    whole = of_run(rows, "b", "all")
    assert whole["p_holm"] == whole["p"] == pytest.approx(2 / 64)
    text = describe_rows(rows, "x")
    assert "p = 0.031, corrected 0.19." in text
    assert text.endswith("p = 0.031.\n")


def test_the_average_length_is_that_of_premise_and_hypothesis(finished):
    trained = dsa.load(finished / "run")
    _, _, prepared = find_split(trained, finished, "dev")
    lengths = compute_average_lengths(
        prepared.sentences.lengths, prepared.sentence_indices[prepared.labelled]
    )
    ids = np.array(prepared.sentences.lengths)
    row = prepared.labelled[3]
    expected = ids[prepared.sentence_indices[row]].mean()
    assert lengths[3] == expected and len(lengths) == len(prepared.labelled)


@pytest.mark.slow
def test_the_right_answers_are_those_that_evaluate_counts(run_copy, finished):
    trained = dsa.load(run_copy)
    evaluated = find_split(trained, finished, "train")
    prepared = evaluated.prepared
    other = dataclasses.replace(prepared, labels=(prepared.labels + 1) % 3)
    for corpus in (prepared, other):
        entry, logits = evaluate_split(trained, evaluated._replace(prepared=corpus))
        right = logits.argmax(axis=1) == corpus.labels
        averages = compute_average_lengths(
            corpus.sentences.lengths, corpus.sentence_indices[corpus.labelled]
        )
        rows = measure_by_length(averages, {"a": right})
        assert of_run(rows, "a", "all")["accuracy"] == entry["accuracy"]


@pytest.mark.slow
def test_an_analysis_of_test_is_a_test_evaluation(
    run_copy, finished, scripts, tmp_path, monkeypatch
):
    def test_entries():
        return [
            e["file"] for e in RunFolder(run_copy).metrics() if e["split"] == "test"
        ]

    monkeypatch.chdir(
        tmp_path
    )  # a file of the same name in the working directory is ignored
    (tmp_path / "test.jsonl").write_text("{")
    root = ["--data-root", str(finished)]
    arguments = [str(run_copy), "--split", "test", *root]
    assert scripts.lengths.main(arguments) == 0
    assert test_entries() == ["test.jsonl"]
    file = shutil.copy(finished / "test.jsonl", tmp_path / "other.jsonl")
    assert scripts.evaluate.main([str(run_copy), "--file", str(file), *root]) == 0
    assert test_entries() == ["test.jsonl", "other.jsonl"]


def test_rows_shared_with_train_are_recorded_and_logged(
    run_copy, finished, scripts, caplog, tmp_path
):
    (dev,) = [e for e in RunFolder(run_copy).metrics() if e["split"] == "dev"]
    assert dev["shared_with_train"] > 0
    root = ["--data-root", str(finished)]
    file = tmp_path / "part.jsonl"
    lines = (finished / "train.jsonl").read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:9]))
    caplog.clear()
    assert scripts.lengths.main([str(run_copy), "--file", str(file), *root]) == 0
    assert RunFolder(run_copy).metrics()[-1]["shared_with_train"] == 1
    assert "100.0 % of the rows are also in train" in caplog.text
    other_run = shutil.copytree(finished / "run", tmp_path / "other_run")
    assert scripts.compare.main([str(run_copy), str(other_run), *root]) == 0
    entry = RunFolder(run_copy).metrics()[-1]
    assert (entry["split"], entry["shared_with_train"]) == (
        "dev",
        dev["shared_with_train"],
    )


@pytest.mark.slow
def test_a_labelled_csv_file_is_analyzed(finished, run_copy, scripts, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("premise,hypothesis,label\nA man sleeps.,A cat sits.,neutral\n")
    arguments = ["--file", str(path), "--data-root", str(finished)]
    assert scripts.lengths.main([str(run_copy), *arguments]) == 0
    assert RunFolder(run_copy).metrics()[-1]["file"] == "mine.csv"


@pytest.mark.slow
def test_the_accuracy_is_that_of_an_evaluation(finished, run_copy, scripts, tmp_path):
    file = write_jsonl(tmp_path / "n.jsonl", corpus_rows(7, gold_label="neutral"))
    root, out = ["--data-root", str(finished)], tmp_path / "out"
    arguments = [str(run_copy), "--file", str(file), *root, "--out", str(out)]
    assert scripts.lengths.main(arguments) == 0
    evaluated = dsa.evaluate(run_copy, file=file, data_root=finished, record=False)
    assert 0 < evaluated["accuracy"] < 0.5
    with open(out / "lengths.csv", newline="") as file:
        lines = {line["bucket"]: line for line in csv.DictReader(file)}
    assert float(lines["all"]["accuracy"]) == pytest.approx(evaluated["accuracy"])


@pytest.mark.slow
def test_two_runs_are_analyzed_and_drawn(finished, run_copy, scripts, tmp_path, capsys):
    root, out = str(finished), tmp_path / "out"
    other = shutil.copytree(run_copy, tmp_path / "other")
    runs = [str(run_copy), str(other)]
    arguments = [*runs, "--data-root", root, "--out", str(out), "--edges", "3", "5"]
    assert scripts.lengths.main(arguments) == 0
    printed = capsys.readouterr().out
    assert (out / "lengths.txt").read_text() in printed
    assert "Compared with run on the same pairs" in printed
    with open(out / "lengths.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["bucket"] for row in rows[::2]] == [
        "0 to 3",
        "3 to 5",
        "above 5",
        "all",
    ]
    assert (out / "lengths.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--edges", "5", "5"], "--edges must be positive, finite and increasing"),
        (["--edges", "0", "5"], "--edges must be positive, finite and increasing"),
        (["--split", "other"], "has no file for the split 'other'"),
        (["--file", "nowhere.jsonl"], "file not found"),
    ],
)
def test_runs_that_cannot_be_analyzed_are_errors(
    finished, scripts, capsys, arguments, message
):
    assert scripts.lengths.main([str(finished / "run"), *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("edges", [["nan"], ["5", "inf"]])
def test_edges_are_numbers(finished, scripts, capsys, edges):
    with pytest.raises(SystemExit, match="2"):
        scripts.lengths.main([str(finished / "run"), "--edges", *edges])
    assert (
        f"--edges: expected a number. Received: '{edges[-1]}'"
        in capsys.readouterr().err
    )


def test_a_file_without_labels_is_refused(finished, scripts, tmp_path, capsys):
    write_jsonl(tmp_path / "x.jsonl", corpus_rows(3, gold_label="-"))
    arguments = [str(finished / "run"), "--file", str(tmp_path / "x.jsonl")]
    assert scripts.lengths.main(arguments) == 2
    assert "no row has a label" in capsys.readouterr().err
