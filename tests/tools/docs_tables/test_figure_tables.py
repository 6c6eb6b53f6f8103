"""The committed case study and lengths, compared with the paper's figures."""

import json
import shutil
from pathlib import Path

import pytest

from tools.docs_tables.other_tables import write_word_figures_table
from tools.docs_tables.pivot import write_table

CHECKOUT = Path(__file__).parents[3]
FILE = "results/case_study/numbers.json"


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / FILE).parent.mkdir(parents=True)
    shutil.copy(CHECKOUT / FILE, tmp_path / FILE)
    return tmp_path


def read_verdicts(checkout):
    rows = [
        line.split(" | ") for line in write_word_figures_table(checkout).split("\n")
    ]
    return {row[0].lstrip("| "): row[-1].rstrip(" |") for row in rows[2:]}


def test_the_sentence_contradicts_figure_9_and_supports_10_and_11():
    verdicts = read_verdicts(CHECKOUT)
    assert verdicts.pop("9") == "contradicts it"
    assert set(verdicts.values()) == {"supports it"} and len(verdicts) == 4


def test_the_verdict_comes_from_the_numbers(checkout):
    record = json.loads((checkout / FILE).read_text(encoding="utf-8"))
    words = record["market"]["alpha 1.5"][""]
    for key in ("gate_forward", "max_pooling"):
        words[key] = [1 - value for value in words[key]]
    (checkout / FILE).write_text(json.dumps(record), encoding="utf-8")
    verdicts = read_verdicts(checkout)
    assert verdicts["9"] == "supports it"
    assert verdicts["11 (b)"] == "contradicts it"


def test_every_bucket_has_both_models_and_the_test_of_their_difference():
    lines = write_table("lengths-multinli", CHECKOUT).splitlines()[2:]
    assert lines[-1] == "| all | 9,815 | 49.98 | 51.15 | -1.16 | 0.0065 | 0.0065 |"
    assert lines[-2].startswith("| above 25 | 1,280 | 46.48 | 46.95 | -0.47 | ")
