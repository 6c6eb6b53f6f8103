"""What costs how much: its points, small sides of each work, and exponents."""

import json
import subprocess
import sys

import pytest

from benchmarks import cost, cost_points
from benchmarks.cost_points import FULL, TINY, fit_exponent, list_series, summarize


@pytest.mark.parametrize("exponent", [-0.5, 0, 1, 1.7])
def test_the_exponent_of_a_power_is_found(exponent):
    sizes = [10, 20, 70, 130]
    found = fit_exponent(sizes, [3.1 * n**exponent for n in sizes])
    assert found == pytest.approx(exponent, abs=1e-9)


def test_the_end_of_a_growth_is_that_of_the_two_largest_sizes():
    growth = cost_points.describe_growth([1, 2, 4], [1, 2, 8])
    assert growth == {"exponent": 1.5, "exponent_at_the_end": 2}


def test_every_series_has_the_sizes_of_the_task():
    series = list_series(FULL)
    assert list(series) == list(cost_points.TIME_OF)
    assert list(series["training, words"]) == [10, 20, 40, 80, 120, 200]
    assert list(series["training, batch"]) == [16, 32, 64, 128, 256]
    assert list(series["preparation, pairs"])[-1] == 550_000
    steps = series["training, batch"][64], series["training, vocabulary"][40_000]
    assert set(steps) == {FULL.usual_step}  # measured once
    assert series["encoding, words"][200].rows == 200
    names = [p.name for points in series.values() for p in points.values()]
    assert len(set(names)) == len(names) - 1


def test_a_series_is_summarized_by_the_medians_of_its_points():
    points = list_series(TINY)["evaluation, words"]
    figures = {
        point.name: {
            "seconds": [0.2 * n * point.rows, n * point.rows, 7 * n * point.rows],
            "tokens": [2 * n * point.rows] * 3,
            "peak_memory_bytes": [5, 5, 5],
        }
        for n, point in points.items()
    }
    summary = summarize("evaluation, words", points, figures)
    assert summary["time_of"] == "a pair" and summary["sizes"] == [5, 10]
    assert summary["seconds"] == [5, 10]
    assert summary["microseconds_a_token"] == [5e5, 5e5]
    assert summary["time_growth"] == {"exponent": 1, "exponent_at_the_end": 1}
    assert summary["memory_growth"]["exponent"] == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("series", "tokens"),
    [
        pytest.param("training, words", 8 * 10, marks=pytest.mark.exhaustive),
        ("evaluation, rows", 32 * 22),
        ("encoding, rows", 32 * 14),
    ],
)
def test_a_point_of_each_work_has_its_figures(monkeypatch, capsys, series, tokens):
    monkeypatch.setattr("matrix_product.SIZE", 64)
    monkeypatch.setattr("measuring.CORPORA", ("mini/train.jsonl",))
    point = list(list_series(TINY)[series].values())[0]
    cost.run_side(point, TINY, None)
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["tokens"] == tokens and figures["seconds"] > 0
    assert figures["ran_on"]["corpus"] == "train.jsonl.gz"
    assert figures["ran_on"]["matmul_precision"] == "float32"
    if point.work == "training":
        assert figures["pairs_per_second"] == pytest.approx(8 / figures["seconds"])
        rate = figures["operations_a_pair"] * figures["pairs_per_second"]
        share = rate / figures["matrix_product_operations_per_second"]
        assert figures["share_of_matrix_product_rate"] == pytest.approx(share)


def test_a_tiny_series_is_written_with_its_growth(tmp_path):
    out = tmp_path / "cost.json"
    line = [sys.executable, "benchmarks/cost.py", "--tiny", "--anyway"]
    line += ["--series", "preparation, pairs"]
    line += ["--folder", str(tmp_path), "--out", str(out)]
    ended = subprocess.run(line, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    record = json.loads(out.read_text())
    assert record["tiny"] and "usual_step" not in record
    (series,) = record["series"].values()
    assert series["sizes"] == [200, 400] and len(series["memory_bytes"]) == 2
    assert set(series["time_growth"]) == {"exponent", "exponent_at_the_end"}
    pairs = [each["pairs"]["median"] for each in record["figures"].values()]
    assert pairs == [200, 400]
    assert str(tmp_path) not in out.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["cost.json"]
