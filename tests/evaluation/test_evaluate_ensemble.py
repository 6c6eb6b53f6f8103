"""The mean of several runs, measured, predicted and handed in."""

import csv
import json

import numpy as np
import pytest

import dsa
from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from tests.support.corpora import rows, write_jsonl


@pytest.fixture(scope="module")
def runs(finished, finished_frozen):
    return [finished / "run", finished_frozen / "run"]


def read_metrics(runs):
    return [RunFolder(run).metrics() for run in runs]


def command(function, *arguments):
    return function.main([str(argument) for argument in arguments])


def test_an_ensemble_is_measured_and_recorded_nowhere(
    scripts, runs, finished, tmp_path, capsys
):
    before, out = read_metrics(runs), tmp_path / "dev.jsonl"
    options = ("--data-root", finished, "--predictions", out)
    assert command(scripts.evaluate, runs[0], "--with", runs[1], *options) == 0
    printed = capsys.readouterr().out
    assert "mean probabilities of 2 runs (not recorded)" in printed
    assert read_metrics(runs) == before
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    right = [line["label"] == line["gold"] for line in lines]

    entry = dsa.evaluate(runs, data_root=finished)
    assert entry["accuracy"] == np.mean(right) and entry["count"] == len(right)
    assert f"{100 * entry['accuracy']:.2f} %" in printed
    gold = [line["probabilities"][line["gold"]] for line in lines]
    assert entry["loss"] == pytest.approx(-np.log(gold).mean(), rel=1e-5)
    assert [part["run"] for part in entry["members"]] == list(map(str, runs))
    assert [part["weights_sha256"] for part in entry["members"]] == [
        RunFolder(run).metrics()[0]["weights_sha256"] for run in runs
    ]
    assert "weights_sha256" not in entry and "unknown_words" not in entry
    assert read_metrics(runs) == before


def test_runs_whose_split_has_other_rows_are_not_averaged(runs, finished, run_copy):
    config, swapped = run_copy / "config.yaml", {"dev": "test", "test": "dev"}
    text = config.read_text()
    for split, other in swapped.items():
        text = text.replace(f"  {split}: {split}.jsonl", f"  {split}: {other}.jsonl")
    config.write_text(text)
    (run_copy / "sha256.json").unlink()
    members = [runs[1], run_copy]
    with pytest.raises(InputError, match="'dev' and the split of the first run"):
        dsa.evaluate(members, data_root=finished)
    entry = dsa.evaluate(members, file="dev.jsonl", data_root=finished)
    assert entry["count"] and entry["members"][1]["verified"] is False


def test_a_file_is_predicted_and_a_submission_written_by_the_mean(
    scripts, runs, tmp_path, capsys
):
    pairs = rows(5, gold_label="hidden")
    file, out = write_jsonl(tmp_path / "pairs.jsonl", pairs), tmp_path / "out"
    texts = [(row["sentence1"], row["sentence2"]) for row in pairs]
    expected = dsa.ensemble(runs).predict(texts)
    given = (runs[0], "--with", runs[1])
    assert command(scripts.predict, *given, "--file", file) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["pairID"] for line in lines] == [row["pairID"] for row in pairs]
    for line, answer in zip(lines, expected, strict=True):
        assert line["probabilities"] == pytest.approx(answer.probabilities, abs=1e-5)

    assert command(scripts.predict, runs[0], *texts[0], "--with", runs[1]) == 0
    label, *shares = capsys.readouterr().out.splitlines()
    assert label == expected[0].label and len(shares) == 3

    options = ("--matched", file, "--any-rows", "--out", out)
    assert command(scripts.make_submission, *given, *options) == 0
    with open(out / "submission_matched.csv", newline="") as submission:
        _, *submitted = csv.reader(submission)
    assert [label for _, label in submitted] == [answer.label for answer in expected]
