"""Models trained alike are compared seed by seed, single runs with the same seed."""

import json
import statistics
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dsa.errors import InputError
from tools.docs_tables.one_seed_tables import write_one_seed_table
from tools.docs_tables.seed_tables import (
    find_answered_differences,
    write_alike_table,
    write_attention_table,
    write_features_table,
    write_forms_table,
)
from tools.docs_tables.trained_alike import (
    MODELS,
    Model,
    describe_difference,
    describe_mean,
    measure,
    measure_all,
)

CHECKOUT = Path(__file__).parents[3]
ENVIRONMENT = {
    "commit": "0123456789",
    "pairs": {"train": 7},
    "parameters": {"trainable_without_embeddings": 5},
    "vector_extensions": ["avx2"],
}


@pytest.fixture
def write_run(tmp_path):
    def write(path, seed, accuracy, **facts):
        folder = tmp_path / "results" / path
        folder.mkdir(parents=True)
        (folder / "config.yaml").write_text(f"seed: {seed}\n")
        (folder / "environment.json").write_text(json.dumps({**ENVIRONMENT, **facts}))
        entry = {"split": "dev", "accuracy": accuracy}
        (folder / "metrics.json").write_text(json.dumps({"evaluations": [entry]}))

    return write


def test_the_interval_of_a_difference_is_that_of_the_paired_t():
    first, other = {1: 0.5, 2: 0.7, 3: 0.6}, {1: 0.56, 2: 0.71, 3: 0.68}
    difference, interval = describe_difference(first, other)
    test = stats.ttest_rel(list(other.values()), list(first.values()))
    assert difference == pytest.approx(0.05)
    assert interval == pytest.approx(test.confidence_interval())


def test_the_interval_of_a_mean_is_students():
    values = {1: 0.5, 2: 0.7, 3: 0.6}
    mean, (low, high) = describe_mean(values)
    half = stats.t.ppf(0.975, 2) * np.std([0.5, 0.7, 0.6], ddof=1) / 3**0.5
    assert (mean, low, high) == pytest.approx((0.6, 0.6 - half, 0.6 + half))


def test_models_of_other_seeds_are_not_compared():
    with pytest.raises(InputError, match="the same two seeds or more"):
        describe_difference({1: 0.5, 2: 0.6}, {1: 0.5, 3: 0.6})
    with pytest.raises(InputError, match="the same two seeds or more"):
        describe_difference({1: 0.5}, {1: 0.5})


@pytest.mark.parametrize(
    "facts",
    [{"vector_extensions": ["avx2", "avx512f"]}, {"pairs": {"train": 8}}],
)
def test_runs_of_a_model_are_alike(write_run, tmp_path, facts):
    write_run("a/seed-1", 1, 0.5)
    write_run("a/seed-2", 2, 0.6, **facts)
    with pytest.raises(InputError, match="a: one run a seed"):
        measure(Model("a", ("a",)), tmp_path)


def test_a_seed_counts_once(write_run, tmp_path):
    write_run("a/seed-1", 1, 0.5)
    write_run("b/seed-1", 1, 0.6)
    with pytest.raises(InputError, match="one run a seed"):
        measure(Model("a", ("a", "b")), tmp_path)


def test_the_highest_mean_comes_first(write_run, tmp_path):
    for seed in (1, 2):
        write_run(f"a/seed-{seed}", seed, 0.5)
        write_run(f"b/seed-{seed}", seed, 0.6)
    models = Model("a", ("a",)), Model("b", ("b",))
    assert [m.model.name for m in measure_all(models, tmp_path)] == ["b", "a"]
    write_run("b/seed-3", 3, 0.6)
    with pytest.raises(InputError, match="the same seeds"):
        measure_all(models, tmp_path)


def test_every_model_is_a_row_beside_dsa_on_its_processor():
    caption, table, other_base, papers = write_alike_table(CHECKOUT).split("\n\n")
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    assert len(rows) == len(MODELS) == 10
    assert "(**7 %, partial**)" in caption and "SNLI dev" in caption
    means = [float(row[1]) for row in rows]
    assert means == sorted(means, reverse=True)
    assert "DSA 86.3 in DSA (Im & Cho 2017)" in papers
    again = measure(Model("", ("seeds_avx512/dsa",)), CHECKOUT).values
    (transformer,) = (row for row in rows if "0.0003" in row[0])
    (model,) = (m for m in MODELS if "0.0003" in m.name)
    difference, _ = describe_difference(again, measure(model, CHECKOUT).values)
    assert transformer[3] == f"{100 * difference:+.2f}"
    assert transformer[-1] == "AVX-512 |"
    assert f"(mean {100 * statistics.mean(again.values()):.2f})" in other_base


def test_the_gain_of_attention_is_next_to_the_gain_in_the_paper():
    rows = write_attention_table(CHECKOUT).splitlines()[2:]
    assert rows[2].startswith("| WikiQA, MAP | ABCNN-3 minus BCNN, one-conv | +0.45 | ")
    assert rows[2].endswith(" | +2.85 |")  # 0.6914 - 0.6629
    assert rows[-1].endswith(" | +1.2 |")  # 86.2 - 85.0
    assert len(rows) == 18


def test_the_gain_of_features_is_the_negative_of_the_ablation():
    rows = write_features_table(CHECKOUT).splitlines()[2:]
    experiments = (
        ("convolutions/wikiqa", "map"),
        ("convolutions/msrp", "accuracy"),
        ("convolutions/sick_entailment", "accuracy"),
    )
    for row, (folder, metric) in zip(rows, experiments, strict=True):
        found = find_answered_differences(CHECKOUT / "results" / folder, metric)
        line = found["abcnn3_two", "abcnn3_two_no_features"]
        lost = 100 * float(line["difference"])
        high = 100 * float(line["bootstrap_high"])
        assert f"**{-lost:+.2f}** | " in row and f" | {-high:+.2f} to " in row
    assert [row.split()[-2] for row in rows] == ["+3.2", "+3.8", "+1.6"]


def test_another_form_of_attention_is_compared_with_bcnn_of_this_form():
    rows = write_forms_table(CHECKOUT).splitlines()[2:]
    found = find_answered_differences(CHECKOUT / "results/convolutions/wikiqa", "map")
    line = found["bcnn_two", "abcnn2_two_paper"]
    (row,) = (row for row in rows if "in the paper | ABCNN-2 minus BCNN, two" in row)
    assert f" | {100 * float(line['difference']):+.2f} | " in row
    assert len(rows) == 6 and all("one-conv" in row for row in rows[:3])


def test_a_single_run_is_compared_with_one_of_the_same_seed(write_run, tmp_path):
    write_run("a", 1, 0.5)
    write_run("b", 1, 0.53)
    rows = {"A": "a", "B": "b"}
    lines = write_one_seed_table(rows, ("dev",), "accuracy", tmp_path).splitlines()
    assert lines[2] == "| A | 50.00 | - | 5 | `0123456` |"
    assert lines[3] == "| B | 53.00 | +3.00 | 5 | `0123456` |"


@pytest.mark.parametrize(
    "other", [(2, {}), (1, {"vector_extensions": ["avx2", "avx512f"]})]
)
def test_a_run_of_another_seed_or_processor_is_no_row(write_run, tmp_path, other):
    seed, facts = other
    write_run("a", 1, 0.5)
    write_run("b", seed, 0.53, **facts)
    with pytest.raises(InputError, match="one seed on one kind of processor"):
        write_one_seed_table({"A": "a", "B": "b"}, ("dev",), "accuracy", tmp_path)


def test_a_folder_of_several_runs_is_no_row(write_run, tmp_path):
    write_run("a/seed-1", 1, 0.5)
    write_run("a/seed-2", 2, 0.5)
    with pytest.raises(InputError, match="one run is needed in .*a"):
        write_one_seed_table({"A": "a"}, ("dev",), "accuracy", tmp_path)
