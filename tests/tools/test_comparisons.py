import csv
import json
import shutil

import numpy as np
import pytest
from scipy import stats

from dsa.errors import InputError
from dsa.tasks.seed_comparison import compare_over_seeds
from tests.support.kept_answers import (
    LENGTHS,
    change_packed_answer,
    pack_study,
    write_run,
)
from tools import comparisons
from tools.comparisons import check_results, compare_experiment, main

RIGHT = {  # by seed; rows 0, 2 and 6 have a sentence above 25 tokens
    "dsa": {1: "1100000", 2: "1110000", 3: "0110100"},
    "no_mask": {1: "0101111", 2: "0101110", 3: "0100110"},
    "third": {1: "1111111", 2: "1101111", 3: "1111110"},
}


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    monkeypatch.setattr(comparisons, "RESULTS", tmp_path)
    monkeypatch.setattr(comparisons, "MIN_ROWS", 3)
    folder = tmp_path / "mask" / "c"
    for model, seeds in RIGHT.items():
        for seed, right in seeds.items():
            write_run(folder / model, seed, right)
    return folder


def read_table(results):
    with open(results / "comparisons.csv") as file:
        return list(csv.DictReader(file))


def as_array(model):
    return np.array([[int(d) for d in right] for right in RIGHT[model].values()])


def test_the_numbers_of_a_pair_are_those_of_the_answers(experiment, tmp_path):
    assert main([str(experiment), "--base", "dsa"]) == 0
    line, long, *others = read_table(tmp_path)
    first, other = as_array("dsa"), as_array("no_mask")
    assert [line[key] for key in ("first", "other", "split", "minus", "rows")] == [
        *("dsa", "no_mask", "dev", "", "all")
    ]
    assert float(line["first_mean"]) == pytest.approx(first.mean(), abs=1e-6)
    assert float(line["other_mean"]) == pytest.approx(other.mean(), abs=1e-6)
    test = stats.ttest_rel(other.mean(1), first.mean(1)).confidence_interval(0.95)
    low, high = compare_over_seeds(first, other).bootstrap
    assert float(line["low"]) == pytest.approx(min(low, test.low), abs=1e-6)
    assert float(line["high"]) == pytest.approx(max(high, test.high), abs=1e-6)
    assert (line["experiment"], line["significant"]) == ("mask/c", "no")
    assert (line["seeds"], line["units"]) == ("1, 2, 3", "7")
    inside = LENGTHS > 25
    by_seed = (other - first)[:, inside].mean(1) - (other - first)[:, ~inside].mean(1)
    assert long["rows"] == "above 25 tokens minus others"
    assert float(long["difference"]) == pytest.approx(by_seed.mean(), abs=1e-6)
    assert {line["other"] for line in others} == {"third"}


def test_models_are_compared_on_the_seeds_that_both_have(experiment):
    expected = compare_experiment(experiment, ["dsa"])
    write_run(experiment / "no_mask", 4, "1111111")
    assert compare_experiment(experiment, ["dsa"]) == expected
    write_run(experiment / "late", 5, "1111111")
    with pytest.raises(InputError, match="dsa and late have no common seed"):
        compare_experiment(experiment, ["dsa"])


def test_without_a_base_all_pairs_are_compared(experiment):
    pairs = [(line["first"], line["other"]) for line in compare_experiment(experiment)]
    expected = [("dsa", "no_mask"), ("dsa", "third"), ("no_mask", "third")]
    assert list(dict.fromkeys(pairs)) == expected


def test_models_of_the_same_name_in_another_experiment(experiment, tmp_path):
    large = tmp_path / "mask" / "large"
    for seed, right in RIGHT["third"].items():
        write_run(large / "dsa", seed, right)
        write_run(large / "only_here", seed, right)
    assert main([str(large), "--base", "dsa", "--with", str(experiment)]) == 0
    lines = [line for line in read_table(tmp_path) if line["rows"] == "all"]
    assert [(line["first"], line["other"]) for line in lines] == [
        ("dsa", "only_here"),
        ("mask/c/dsa", "dsa"),
    ]
    expected = as_array("third").mean() - as_array("dsa").mean()
    assert float(lines[-1]["difference"]) == pytest.approx(expected, abs=1e-6)
    assert check_results(tmp_path) == []
    write_run(experiment / "dsa", 1, "0000000")
    assert len(check_results(tmp_path)) == 2  # both groups of rows


def test_experiments_without_a_common_model_are_an_error(experiment, capsys):
    write_run(experiment.parent / "d" / "only_here", 1, "1110000")
    with pytest.raises(InputError, match="have no model in common"):
        compare_experiment(experiment.parent / "d", (), experiment)
    assert main(["--check", "--with", str(experiment)]) == 2
    assert "--check takes no other options" in capsys.readouterr().err


def test_predictions_with_other_vectors_are_not_compared(experiment):
    vectors = "dev (vectors: other.txt)"
    for model in ("a", "b"):
        write_run(experiment.parent / "d" / model, 1, "1110000")
        write_run(experiment.parent / "d" / model, 1, "1000000", vectors)
    lines = compare_experiment(experiment.parent / "d")
    assert {(line["split"], line["minus"]) for line in lines} == {
        ("dev", ""),
        (vectors, ""),
    }


def test_the_loss_of_accuracy_in_a_view_is_compared(experiment):
    """Of three right answers the view leaves one, or all."""
    view = "dev (surrounded_1)"
    for seed in (1, 2):
        write_run(experiment.parent / "d" / "a", seed, "1110000")
        write_run(experiment.parent / "d" / "a", seed, "1000000", view)
        write_run(experiment.parent / "d" / "b", seed, "1110000")
        write_run(experiment.parent / "d" / "b", seed, "1110000", view)
    lines = compare_experiment(experiment.parent / "d")
    assert [(line["split"], line["minus"], line["rows"][:5]) for line in lines] == [
        ("dev", "", "all"),
        ("dev", "", "above"),
        (view, "", "all"),
        ("dev", view, "all"),
    ]
    cost = lines[-1]
    assert (cost["first_mean"], cost["other_mean"]) == ("0.285714", "0.000000")
    assert (cost["difference"], cost["high"]) == ("-0.285714", "0.000000")


def test_both_dev_sets_of_multinli_are_compared_as_one_too(experiment):
    """The second set has the answers of the first in reverse."""
    folder = experiment.parent / "multinli"
    for model in ("dsa", "no_mask"):
        for seed, right in RIGHT[model].items():
            write_run(folder / model, seed, right)
            write_run(folder / model, seed, right[::-1], "dev_mismatched")
    first, other = (
        np.hstack([values, values[:, ::-1]])
        for values in map(as_array, ("dsa", "no_mask"))
    )
    lines = [
        line
        for line in compare_experiment(folder)
        if line["split"] == "dev + dev_mismatched"
    ]
    every, long = lines
    assert (every["units"], every["minus"]) == ("14", "")
    assert float(every["first_mean"]) == pytest.approx(first.mean(), abs=1e-6)
    assert float(every["difference"]) == pytest.approx((other - first).mean(), abs=1e-6)
    inside = np.hstack([LENGTHS, LENGTHS]) > 25
    by_seed = (other - first)[:, inside].mean(1) - (other - first)[:, ~inside].mean(1)
    assert float(long["difference"]) == pytest.approx(by_seed.mean(), abs=1e-6)


def test_one_seed_is_never_significant(experiment):
    for model, right in (("a", "0000000"), ("b", "1111111")):
        write_run(experiment.parent / "one" / model, 1, right)
    line, _ = compare_experiment(experiment.parent / "one")
    assert (line["low"], line["high"]) == ("1.000000", "1.000000")
    assert (line["significant"], line["seeds"]) == ("no", "1")


def test_a_contrast_of_few_rows_is_omitted(experiment, monkeypatch):
    """Three of the seven rows have a sentence above 25 tokens."""
    monkeypatch.setattr(comparisons, "MIN_ROWS", 4)
    rows = {line["rows"] for line in compare_experiment(experiment, ["dsa"])}
    assert rows == {"all"}


def test_a_check_passes_what_was_written_and_fails_a_changed_answer(
    experiment, tmp_path, capsys
):
    assert main([str(experiment)]) == 0
    before = (tmp_path / "comparisons.csv").read_text()
    pack_study(experiment.parent)
    shutil.rmtree(experiment)
    assert main([str(experiment)]) == 0
    assert (tmp_path / "comparisons.csv").read_text() == before
    assert main(["--check"]) == 0
    change_packed_answer(experiment.parent, "c/dsa/seed-2", 1)
    capsys.readouterr()
    assert main(["--check"]) == 2
    error = capsys.readouterr().err
    assert "c/dsa/seed-2, dev: the answers have changed since the evaluation" in error
    assert "accuracy is 0.285714 in the answers, 0.428571 in runs.jsonl" in error
    assert "the confusion matrix differs from runs.jsonl" in error
    assert "comparisons.csv, mask/c, row 1: differs from the answers" in error


def test_only_the_lines_of_an_experiment_are_replaced(experiment, tmp_path):
    for model, right in (("a", "0000000"), ("b", "1111111")):
        write_run(experiment.parent / "d" / model, 1, right)
    assert main([str(experiment.parent / "d")]) == 0
    assert main([str(experiment)]) == 0
    assert main([str(experiment), "--base", "dsa"]) == 0
    experiments = [line["experiment"] for line in read_table(tmp_path)]
    assert experiments == [*["mask/c"] * 4, *["mask/d"] * 2]


def test_another_wrong_label_is_found(experiment, tmp_path):
    """Row 6 of the seed has a wrong answer: accuracy and comparisons stay equal."""
    assert main([str(experiment), "--base", "dsa"]) == 0
    pack_study(experiment.parent)
    change_packed_answer(experiment.parent, "c/dsa/seed-2", 6)
    digest, confusion = check_results(tmp_path)
    assert "the answers have changed since the evaluation" in digest
    assert "the confusion matrix differs" in confusion


def test_a_changed_answer_is_found_though_its_digest_and_accuracy_were_changed_too(
    experiment, tmp_path
):
    """One more right answer, and one less."""
    assert main([str(experiment), "--base", "dsa"]) == 0
    write_run(experiment / "dsa", 2, "1101000")
    pack_study(experiment.parent)
    faults = check_results(tmp_path)
    assert faults and all("differs from the answers" in fault for fault in faults)


def test_a_changed_number_is_found(experiment, tmp_path):
    assert main([str(experiment), "--base", "dsa"]) == 0
    table = tmp_path / "comparisons.csv"
    text = table.read_text()
    table.write_text(text.replace(",no,", ",yes,", 1))
    (fault,) = check_results(tmp_path)
    assert fault.endswith("mask/c, row 1: differs from the answers")
    for broken in (text.replace("dsa", "other"), text.replace("rows", "x"), "a\n1,2\n"):
        table.write_text(broken)
        assert check_results(tmp_path)


def test_lost_answers_and_answers_without_an_evaluation_are_found(experiment, tmp_path):
    pack_study(experiment.parent)
    runs = experiment.parent / "runs.jsonl"
    lines = [json.loads(line) for line in runs.read_text().splitlines()]
    lines[0]["metrics"][0]["split"] = "test"
    runs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    lost, unknown, table = check_results(tmp_path)
    assert lost.endswith("c/dsa/seed-1: the answers for test are missing")
    assert unknown.endswith("c/dsa/seed-1: answers without evaluation for dev")
    assert table == f"no comparisons in {tmp_path / 'comparisons.csv'}"


def test_an_unknown_base_and_an_empty_folder_are_told(experiment, tmp_path, capsys):
    assert main([str(experiment), "--base", "x"]) == 2
    assert "unknown model 'x'. Known: dsa, no_mask, third" in capsys.readouterr().err
    assert main([str(tmp_path / "nothing")]) == 2
    assert "no two models have answers" in capsys.readouterr().err
    assert main([str(tmp_path.parent)]) == 2
    assert f"expected a folder below {tmp_path}" in capsys.readouterr().err


def test_every_paired_number_that_is_committed_is_what_the_answers_give():
    assert main(["--check"]) == 0
