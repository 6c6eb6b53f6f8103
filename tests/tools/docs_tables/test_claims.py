"""Verdicts on the papers' claims, which depend on committed results."""

import json
import shutil
from pathlib import Path

import pytest

from dsa.errors import InputError
from tests.support.comparison_line import LINE
from tools.comparisons import write_comparisons
from tools.docs_tables.claims import write_claims
from tools.docs_tables.pivot import TABLES, write_table

CHECKOUT = Path(__file__).parents[3]
CLAIM = {
    "claim": "a beats b",
    "here": "yes",
    "number": "{gain.difference:+points1} ({gain.low:points1})",
    "holds": ["0 < {gain.low}"],
    "uses": {"gain": {"comparisons": ["c"], "other": "a", "significant": "yes"}},
}


def find_claim(text):
    (claim,) = (claim for claim in TABLES["claims"] if claim["claim"] == text)
    return claim


def write_runs(results, study, change):
    """Changes the runs of a study, each by a function."""
    path = results / study / "runs.jsonl"
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    for run in runs:
        change(run)
    path.write_text("".join(f"{json.dumps(run)}\n" for run in runs))


def make_mask_slower(results):
    def slow_down(run):
        if run["run"].startswith("multinli/dsa/"):
            run["environment"]["seconds_per_epoch"] *= 1.03

    write_runs(results, "distance_mask", slow_down)


def add_points(study, names, points):
    def add(run):
        if run["run"].startswith(names):
            for entry in run["metrics"]:
                entry["accuracy"] += points / 100

    return lambda results: write_runs(results, study, add)


def exchange_signs(quantity):
    """Returns a function that negates the correlation of DSA with a quantity."""

    def negate(results):
        path = results / "distance_mask/seeds/word_frequencies.csv"
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            if line.startswith(f"{quantity},dsa,"):
                keys, (mean, low, high), rest = split_line(line)
                numbers = [-mean, -high, -low]
                lines[number] = ",".join([*keys, *map(str, numbers), rest])
        path.write_text("\n".join(lines) + "\n")

    return negate


def split_line(line):
    quantity, model, mean, low, high, rest = line.split(",", 5)
    return (quantity, model), (float(mean), float(low), float(high)), rest


FIGURES = "DSA: keywords in Figures 9, 10 a, 10 b, 11"
PAPERS = "accuracies of the papers"


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("DSA: the distance mask costs no time", make_mask_slower),
        ("DSA: better than DiSAN", add_points("seeds", "with_avx512/disan_adam/", 3)),
        (FIGURES, exchange_signs("gate")),
        (FIGURES, exchange_signs("output")),
        (FIGURES, exchange_signs("max_pooling")),
        (PAPERS, add_points("paper_sizes/snli", "explosion/141511/esim/", 9)),
        (PAPERS, add_points("paper_sizes/snli", "explosion/141511/dsa/", 7)),
    ],
)
def test_a_committed_verdict_fails_if_its_data_change(tmp_path, claim, change):
    for study in ("distance_mask", "seeds", "paper_sizes"):
        shutil.copytree(CHECKOUT / "results" / study, tmp_path / "results" / study)
    claim = find_claim(claim)
    assert f"| {claim['here']} |" in write_claims(tmp_path, [claim])
    change(tmp_path / "results")
    with pytest.raises(InputError, match="the verdict '.*' requires .*. Received: "):
        write_claims(tmp_path, [claim])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"significant": "no"}, "no records of 'a beats b'"),
        ({"low": "-0.02"}, "'yes' requires 0 < {gain.low}. Received: 0 < -0.02"),
    ],
)
def test_a_verdict_fails_if_its_data_change(tmp_path, change, message):
    (tmp_path / "results").mkdir()
    write_comparisons(tmp_path / "results", "c", [LINE])
    assert write_claims(tmp_path, [CLAIM]).endswith("| a beats b | yes | +1.2 (0.1) |")
    write_comparisons(tmp_path / "results", "c", [{**LINE, **change}])
    with pytest.raises(InputError, match=message):
        write_claims(tmp_path, [CLAIM])


def test_every_verdict_has_a_condition():
    for claim in TABLES["claims"]:
        tied = [use for use in claim["uses"].values() if "significant" in use]
        assert tied or claim["holds"], claim["claim"]
        for use in claim["uses"].values():
            assert "comparisons" not in use or use["significant"] in ("yes", "no")


def test_the_verdict_on_attention_follows_from_every_comparison():
    claim = find_claim("ABCNN: attention helps")
    rows = write_table("abcnn-attention", CHECKOUT).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    significant = {
        (column, corpus, models)
        for corpus, models, *differences, _ in cells
        for column, difference in enumerate(differences)
        if "**" in difference
    }
    assert 2 * len(cells) == 36  # with two kinds of 300-d vectors
    assert significant == {  # column 1: word2vec
        (1, "WikiQA, MAP", "ABCNN-3 minus BCNN, two-conv"),
        (1, "MSRP, accuracy", "ABCNN-3 minus BCNN, two-conv"),
    }
    assert "with 300-d vectors, 2 of 36 differences are significant" in claim["here"]
    assert claim["here"].endswith("with 50-d vectors none")
