"""Cross-validation by `dsa sweep --folds`."""

import csv

import numpy as np
import pytest

from dsa.commands.main import main
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.fold_interval import compute_fold_interval
from dsa.sweeps.grid import plan_grid

CONFIG = "configs/own/pairs.yaml"


def test_each_fold_is_a_run_without_the_files_of_dev_and_test():
    plans = plan_grid(CONFIG, [13, 14], {}, [], folds=3)
    assert [(p.overrides["seed"], p.experiment.data.folds.fold) for p in plans] == [
        (seed, fold) for seed in (13, 14) for fold in range(3)
    ]
    data = plans[0].experiment.data
    assert data.folds.count == 3 and data.dev_share == 0.1
    assert data.file("test") == data.file("dev") == data.train == "train.csv"
    assert len({plan.path for plan in plans}) == 6
    changed = ["data.dev=null", "data.dev_share=0.3"]
    assert (
        plan_grid(CONFIG, [], {}, changed, folds=2)[0].experiment.data.dev_share == 0.3
    )


def test_dev_is_drawn_from_train_in_a_cross_validation():
    changes = ["data.dev=null", "data.dev_from=test", "data.dev_share=0.5"]
    data = plan_grid(CONFIG, [], {}, changes, folds=2)[0].experiment.data
    assert (data.dev_from, data.dev_share) == ("train", 0.1)


def test_the_complete_config_of_a_run_can_be_cross_validated(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(load_experiment(CONFIG).to_yaml())
    (first, _) = plan_grid(config, [], {}, [], folds=2)
    assert first.experiment.data.folds.count == 2


def test_the_interval_is_that_of_the_corrected_t_test():
    values = [0.61, 0.67, 0.64, 0.70, 0.63]
    deviation = np.std(values, ddof=1)
    half = 2.776445 * deviation * np.sqrt(1 / 5 + 1 / 4)  # t with 4 degrees of freedom
    expected = np.mean(values) - half, np.mean(values) + half
    assert compute_fold_interval(values) == pytest.approx(expected, abs=1e-6)


def test_finished_folds_have_the_training_share_of_all_folds():
    values = [0.61, 0.67, 0.64]
    half = 4.302653 * np.std(values, ddof=1) * np.sqrt(1 / 3 + 1 / 4)  # 2 degrees
    expected = np.mean(values) - half, np.mean(values) + half
    assert compute_fold_interval(values, 5) == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_the_folds_of_a_linear_model_are_compared(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    words = ["red", "blue", "green", "white", "black"]
    lines = ["a,b,same"]
    for number in range(40):
        word = words[number % 5]
        other = word if number % 2 else words[(number + 1) % 5]
        lines.append(f"a {word} bird {number},a {other} bird,{number % 2}")
    (tmp_path / "pairs.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "linear.yaml").write_text(
        "data:\n"
        "  corpus: own\n"
        "  columns: {premise: a, hypothesis: b, label: same}\n"
        "  labels: [0, 1]\n"
        "  train: pairs.csv\n"
        "  dev_share: 0.2\n"
        "model: {name: features}\n"
    )
    assert main(["sweep", "linear.yaml", "--folds", "2", "--data-root", "."]) == 0
    out = capfd.readouterr().out
    assert (
        "| setting | accuracy of the folds, mean | 95 % interval | range | n |" in out
    )
    (table,) = tmp_path.glob("runs/linear/sweep-*/sweep.csv")
    (row,) = csv.DictReader(table.open())
    values = []
    for path in sorted(tmp_path.glob("runs/**/metrics.json")):
        entries = RunFolder(path.parent).metrics()
        values += [e["accuracy"] for e in entries if e["split"] == "test"]
    assert len(values) == 2
    low, high = compute_fold_interval(values)
    assert (float(row["low"]), float(row["high"])) == pytest.approx(
        (low, high), abs=1e-4
    )
    assert row["n"] == "2" and row["seeds"] == "13"
