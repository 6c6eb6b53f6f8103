"""The tables of Yin et al. 2016, whose ranking metrics are means over questions."""

import pytest

from dsa.data.corpora.catalogue import RANKING
from dsa.papers.comparison import compare_rows
from dsa.papers.comparison_text import format_comparison
from dsa.papers.table_files import find_table
from tests.papers.test_comparison import compare_one, find_line, run_folder

NAME = "BCNN one-conv"


def run_on_questions(path, seed, mean, error):
    run = run_folder(path, seed, 20_360)
    measured = {"map": mean, "map_standard_error": error}
    measured |= {"mrr": mean + 0.01, "mrr_standard_error": error}
    entry = {"split": "test", "sha256": "test", "count": 6_165, "questions": 243}
    run.add_metrics({**entry, **measured})
    return run


@pytest.mark.parametrize("name", ["abcnn-3", "abcnn-4", "abcnn-6"])
def test_the_notes_apply_to_every_preset(name):
    notes = " ".join(find_table(name).notes)
    assert "epochs and times of two convolutions leave out the first one" in notes
    assert "The runs here" not in notes


@pytest.mark.parametrize(
    ("name", "rows", "quoted"),
    [
        ("abcnn-3", 15, ["CNN-Cnt (Yang et al. 2015)"]),
        (
            "abcnn-4",
            18,
            [
                "RAE (Socher et al. 2011)",
                "Bi-CNN-MI (Yin and Schuetze 2015a)",
                "MPSSM-CNN (He et al. 2015)",
                "MF-TF-KLD (Ji and Eisenstein 2013)",
            ],
        ),
        (
            "abcnn-6",
            16,
            [
                "SemEval: Jimenez et al. 2014",
                "SemEval: Zhao et al. 2014",
                "SemEval: Lai and Hockenmaier 2014",
                "TrRNTN (Bowman et al. 2015b)",
            ],
        ),
    ],
)
def test_a_table_has_every_row_of_the_paper_and_quoted_rows_have_no_config(
    name, rows, quoted
):
    table = find_table(name)
    assert len(table.rows) == rows
    assert [row.name for row in table.rows if row.config is None] == quoted
    configs = [row.config for row in table.rows if row.config and row.in_paper]
    assert len(set(configs)) == len(configs)
    assert all(config.startswith(f"configs/{table.corpus}/") for config in configs)
    assert f"configs/{table.corpus}/abcnn3_two.yaml" in configs


def test_a_difference_of_map_is_in_standard_errors_over_questions(tmp_path):
    runs = [
        run_on_questions(tmp_path / "a", 1, 0.63, 0.02),
        run_on_questions(tmp_path / "b", 2, 0.65, 0.03),
    ]
    table = find_table("abcnn-3")
    row = compare_one(NAME, table, runs)
    assert (row["map paper"], row["map questions"]) == ("0.6629", 243)
    assert "map pairs" not in row
    assert row["map difference"] == pytest.approx((0.64 - 0.6629) / 0.025)
    text = format_comparison(table, compare_rows(table, {NAME: runs}, "nowhere"))
    assert (
        "| 0.6629 | 0.6400 (0.6300-0.6500), test, n = 243 questions | "
        "-0.9 SE, sd 0.0141 | 0.6813 |"
    ) in find_line(text, NAME)
    assert (
        "(SE): (ours - paper) / our standard error, which is estimated by a bootstrap "
        "over the questions and averaged over the seeds. The difference ignores" in text
    )
    assert "with the split and its number of questions. Parameters: trainable" in text
    assert "The paper's published code chooses on test" in text


def test_f1_uses_its_bootstrap_error_and_accuracy_the_binomial_error(tmp_path):
    run = run_folder(tmp_path / "a", 1, 4_076)
    entry = {"split": "test", "sha256": "test", "count": 1_725, "accuracy": 0.77}
    run.add_metrics({**entry, "f1": 0.83, "f1_standard_error": 0.01})
    table = find_table("abcnn-4")
    row = compare_one(NAME, table, [run])
    assert row["f1 difference"] == pytest.approx(83 - 84.1)
    expected = -1.1 / (78.1 * 21.9 / 1_725) ** 0.5
    assert row["accuracy difference"] == pytest.approx(expected)
    text = format_comparison(table, compare_rows(table, {NAME: [run]}, "nowhere"))
    assert "| 84.1 | 83.00, test, n = 1,725 | -1.1 SE |" in find_line(text, NAME)
    assert "| difference: accuracy | paper: f1 | ours: f1 | difference: f1 |" in text
    assert "and n our number of rows; for f1: (ours - paper) / our standard" in text
    assert "F1 of the positive label in per cent. Ours: mean" in text


def test_a_standard_error_of_zero_gives_no_difference(tmp_path):
    run = run_on_questions(tmp_path / "a", 1, 1.0, 0.0)
    assert compare_one(NAME, find_table("abcnn-3"), [run])["map difference"] is None


def test_the_keys_of_the_metrics_are_keys_of_the_task():
    import numpy as np

    entry = RANKING.metrics(np.eye(2), np.array([0, 1]), ["a", "a"])
    for measure in find_table("abcnn-3").measures:
        assert {measure.metric.key, measure.metric.error, "questions"} <= set(entry)
