"""Tables that are declared as rows, columns and formats of committed records."""

import json
import statistics
from pathlib import Path

import pytest
from scipy import stats

from dsa.errors import InputError
from tests.support.comparison_line import LINE
from tools.comparisons import write_comparisons
from tools.docs_tables.pivot import list_rows, write_table

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def write_run(tmp_path):
    def write(path, seed, accuracy, processor="avx2", **evaluations):
        folder = tmp_path / "results" / path
        folder.mkdir(parents=True)
        settings = {"seed": seed, "model": {"norm": "pre", "scale": 3.0}}
        (folder / "config.yaml").write_text(json.dumps(settings))
        facts = {"commit": "0123456789", "vector_extensions": ["avx2", processor]}
        facts |= {"parameters": {"trainable_without_embeddings": 5000}}
        (folder / "environment.json").write_text(json.dumps(facts))
        entries = [
            {"split": split, "accuracy": value}
            for split, value in {"dev": accuracy, **evaluations}.items()
        ]
        (folder / "metrics.json").write_text(json.dumps({"evaluations": entries}))

    return write


def write_lines(tmp_path, experiment, lines):
    (tmp_path / "results").mkdir(parents=True)
    lines = [{**LINE, **line} for line in lines]
    write_comparisons(tmp_path / "results", experiment, lines)


def make(table, checkout):
    return write_table("t", checkout, {"t": table}).splitlines()


def test_each_run_is_a_row_with_its_settings(write_run, tmp_path):
    write_run("s/b", 2, 0.5)
    write_run("s/a", 1, 0.75)
    columns = {"scale": "{model.scale:json}", "dev": "{dev.accuracy:points}, {seed}"}
    table = {"runs": ["s"], "rows": "each", "columns": columns}
    assert make(table, tmp_path) == [
        "| scale | dev |",
        "|---|---|",
        "| 3.0 | 75.00, 1 |",
        "| 3.0 | 50.00, 2 |",
    ]


def test_a_row_of_several_seeds_has_their_mean_and_range(write_run, tmp_path):
    write_run("s/a/seed-1", 1, 0.5, test=0.25)
    write_run("s/a/seed-2", 2, 0.6, test=0.25)
    columns = {
        "mean": "{dev.accuracy:points1}",
        "range": "{dev.accuracy:range}",
        "lost": "{dev.accuracy - test.accuracy:points}",
        "seeds": "{seed:list}",
        "parameters": "{parameters:,}",
    }
    table = {"runs": ["s"], "label": "m", "rows": {"A": "s/a"}, "columns": columns}
    assert make(table, tmp_path)[2] == (
        "| A | 55.0 | 55.00 (50.00-60.00) | 30.00 | 1, 2 | 5,000 |"
    )


def test_a_row_is_compared_with_its_base_seed_by_seed(write_run, tmp_path):
    firsts, others = [0.5, 0.7, 0.6], [0.56, 0.71, 0.68]
    for seed, (first, other) in enumerate(zip(firsts, others, strict=True)):
        write_run(f"s/a/seed-{seed}", seed, first)
        write_run(f"s/b/seed-{seed}", seed, other)
    columns = {
        "minus": {"minus": "base", "text": "{dev.accuracy:+points}"},
        "95 %": {"minus": "base", "text": "{dev.accuracy:+interval}"},
        "ratio": {"per": "base", "text": "{dev.accuracy:points1}"},
    }
    rows = {"A": "s/a", "B": "s/b"}
    table = {"runs": ["s"], "label": "m", "base": "s/a", "rows": rows}
    lines = make({**table, "columns": columns}, tmp_path)
    low, high = stats.ttest_rel(others, firsts).confidence_interval()
    ratio = statistics.mean(b / a for a, b in zip(firsts, others, strict=True))
    assert lines[2] == "| A | - | - | - |"
    interval = f"{100 * low:+.2f} to {100 * high:+.2f}"
    assert lines[3] == f"| B | +5.00 | {interval} | {100 * ratio:.1f} |"


@pytest.mark.parametrize("other", [(2, "avx2"), (1, "avx512f")])
def test_runs_of_other_seeds_or_processors_are_not_compared(write_run, tmp_path, other):
    write_run("s/a", 1, 0.5)
    write_run("s/b", other[0], 0.6, other[1])
    column = {"minus": "base", "text": "{dev.accuracy:+points}"}
    table = {"runs": ["s"], "label": "m", "rows": {"B": {"run": "s/b", "base": "s/a"}}}
    with pytest.raises(InputError, match="same seeds on one kind of processor"):
        make({**table, "columns": {"minus": column}}, tmp_path)


def test_a_significant_difference_is_bold(tmp_path):
    write_lines(tmp_path, "c", [{}, {"split": "dev", "significant": "no"}])
    table = {"comparisons": ["c"], "where": {"other": "a"}, "label": "split"}
    rows = {"test": {"split": "test"}, "dev": {"split": "dev"}}
    lines = make({**table, "rows": rows, "columns": {"d": "{shown}"}}, tmp_path)
    assert lines[2] == "| test | **+1.25** (+0.05 to +2.40) |"
    assert lines[3] == "| dev | +1.25 (+0.05 to +2.40) |"


def test_a_comparison_is_read_in_both_directions(tmp_path):
    write_lines(tmp_path, "c", [{}])
    table = {"comparisons": ["c"], "label": "m", "rows": {"b": {"other": "b"}}}
    columns = {"b": "{other_mean:points}", "minus a": "{shown}"}
    lines = make({**table, "columns": columns}, tmp_path)
    assert lines[2] == "| b | 90.00 | **-1.25** (-2.40 to -0.05) |"


def test_a_cell_without_records_is_the_given_text_or_an_error(tmp_path):
    write_lines(tmp_path, "c", [{}])
    column = {"where": {"split": "dev"}, "text": "{shown}"}
    table = {"comparisons": ["c"], "label": "m", "rows": {"a": {"other": "a"}}}
    missing = {"d": {**column, "missing": "-"}}
    assert make({**table, "columns": missing}, tmp_path)[2] == "| a | - |"
    with pytest.raises(InputError, match="no records of 'a': .*dev"):
        make({**table, "columns": {"d": column}}, tmp_path)
    with pytest.raises(InputError, match="no records of 'b'"):
        make({**table, "rows": {"b": {"other": "c"}}, "columns": {}}, tmp_path)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"runs": ["s"]}, "no results below .*results/s"),
        ({"comparisons": ["c"]}, "no comparisons in .*results/comparisons.csv"),
    ],
)
def test_missing_results_are_an_error(tmp_path, table, message):
    with pytest.raises(InputError, match=message):
        make({**table, "rows": "each", "columns": {}}, tmp_path)


def test_the_models_trained_alike_are_sorted_by_their_mean():
    rows = list_rows("alike", CHECKOUT)
    means = [statistics.mean(row.values("dev.accuracy")) for row in rows]
    assert means == sorted(means, reverse=True) and len(rows) == 11
    assert all(row.values("seed") == [13, 14, 15] for row in rows)
