"""Statements of docs/papers/dsa.md on the runs with 141,511 pairs of SNLI."""

from pathlib import Path

import pytest

from dsa.runs.run_records import read_history
from dsa.runs.studies import list_runs
from tools.docs_tables.pivot import TABLES
from tools.docs_tables.records import read_runs

RESULTS = Path(__file__).parents[2] / "results"
RUNS = RESULTS / "paper_sizes/snli/explosion/141511"


def read_accuracies(model, split):
    """Returns the accuracy of each seed."""
    runs = read_runs(RUNS / model)
    return {run["seed"]: run["evaluations"][split]["accuracy"] for run in runs}


def test_esim_has_a_lower_accuracy_in_training_than_on_dev():
    for run in list_runs(RUNS / "esim"):
        last = read_history(run)[-1]
        assert last["epoch"] == 4 and last["accuracy"] < last["val_accuracy"]


@pytest.mark.parametrize("split", ["dev", "test"])
def test_dsa_is_above_esim_by_nearly_the_same_difference(split):
    dsa, esim = (read_accuracies(model, split) for model in ("dsa", "esim"))
    differences = [100 * (dsa[seed] - esim[seed]) for seed in dsa]
    assert len(differences) == 2 and dsa.keys() == esim.keys()
    assert min(differences) > 0 and max(differences) - min(differences) < 0.2


def test_dsa_is_above_its_rows_with_50_features():
    folders = TABLES["more-pairs"]["runs"]
    rows = [run for folder in folders for run in read_runs(RESULTS / folder)]
    best = max(row["evaluations"]["dev"]["accuracy"] for row in rows)
    assert min(read_accuracies("dsa", "dev").values()) > best
