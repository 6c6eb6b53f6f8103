"""The tables of models in views of their rows."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from dsa.errors import InputError
from tests.support.kept_answers import unpack_runs
from tools.docs_tables.paper_tables import write_trained_views_table
from tools.docs_tables.study_tables import VIEWS, write_views_table

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def write_run(tmp_path):
    def write(model, seed, **accuracies):
        folder = tmp_path / f"results/seeds/{model}/seed-{seed}"
        folder.mkdir(parents=True)
        (folder / "config.yaml").write_text(f"seed: {seed}\n")
        (folder / "environment.json").write_text("{}")
        entries = [
            {"split": name if name == "dev" else f"dev ({name})", "accuracy": accuracy}
            for name, accuracy in accuracies.items()
        ]
        text = json.dumps({"evaluations": entries})
        (folder / "metrics.json").write_text(text)

    return write


def test_means_and_ranges_over_seeds(write_run, tmp_path):
    others = {"hypothesis_only": 0.4, "premise_only": 0.35}
    write_run("dsa", 13, dev=0.75, shuffled_words=0.70, **others)
    write_run("dsa", 14, dev=0.73, shuffled_words=0.69, **others)
    line = write_views_table(tmp_path).splitlines()[2]
    assert line == (
        "| DSA | 13, 14 | 74.00 (73.00-75.00) | 69.50 (69.00-70.00) | "
        "4.50 (4.00-5.00) | 40.00 | 35.00 |"
    )


def test_the_order_is_that_of_the_models(write_run, tmp_path):
    accuracies = dict.fromkeys(("dev", *VIEWS), 0.5)
    write_run("esim", 13, **accuracies)
    write_run("dsa", 13, **accuracies)
    lines = write_views_table(tmp_path).splitlines()[2:]
    assert [line.split(" | ")[0] for line in lines] == ["| DSA", "| ESIM"]
    assert "50.00 | 50.00 | 0.00 |" in lines[0]


def test_a_run_that_lacks_a_view_is_refused(write_run, tmp_path):
    write_run("esim", 13, **dict.fromkeys(("dev", *VIEWS), 0.5))
    assert len(write_views_table(tmp_path).splitlines()) == 3
    write_run("esim", 14, dev=0.75, shuffled_words=0.70)
    with pytest.raises(KeyError, match="dev .hypothesis_only"):
        write_views_table(tmp_path)


def test_no_runs_are_no_table(tmp_path):
    with pytest.raises(InputError, match="no results of dsa, "):
        write_views_table(tmp_path)


def test_a_line_for_each_view_that_a_model_was_trained_in(tmp_path):
    """The view of a run determines its row; its folder does not."""
    shutil.copytree(CHECKOUT / "configs", tmp_path / "configs")
    write_trained_run(tmp_path / "results/a", None, 0.75)
    write_trained_run(tmp_path / "results/b", "bag_of_words", 0.7)
    write_trained_run(tmp_path / "results/c", "hypothesis_only", 0.6)
    assert write_trained_views_table(tmp_path).splitlines() == [
        "Seed 13 only:",
        "",
        "| model, view | dev, in the same view |",
        "|---|---|",
        "| DSA | 75.00 |",
        "| DSA, hypothesis only | 60.00 |",
        "| DSA, bag of words | 70.00 |",
    ]


def test_one_seed_never_stands_beside_a_mean_of_three():
    three, one = write_trained_views_table(CHECKOUT).split("Seed 13 only:")
    assert "| DSA | 74.46 (73.41-75.26) |" in three and "hypothesis" not in three
    assert "| DSA | 75.26 |" in one and "(73" not in one


def write_trained_run(folder, view, accuracy):
    """DSA of seed 13 as it was trained, with another view and accuracy."""
    unpack_runs(CHECKOUT / "results/seeds/dsa/seed-13", folder)
    config = folder / "config.yaml"
    settings = yaml.safe_load(config.read_text())
    config.write_text(
        yaml.safe_dump({**settings, "data": {**settings["data"], "view": view}})
    )
    entry = {"split": "dev", "accuracy": accuracy, "count": 9_842, "sha256": "dev"}
    (folder / "metrics.json").write_text(json.dumps({"evaluations": [entry]}))


def test_no_trained_runs_are_no_table(tmp_path):
    shutil.copytree(CHECKOUT / "configs", tmp_path / "configs")
    (tmp_path / "results").mkdir()
    with pytest.raises(InputError, match="no runs of the table snli-views"):
        write_trained_views_table(tmp_path)
