"""Sides of the benchmarks, made small, to their figures."""

import importlib
import json
import sys

import keras
import pytest

SMALL = {
    "model.units": 10,
    "model.classifier.units": 10,
    "training.batch_size": 4,
}


@pytest.fixture
def benchmark(monkeypatch):
    """Imports a benchmark by name, as its script imports the files beside it."""
    monkeypatch.syspath_prepend("benchmarks")
    before = set(sys.modules)

    yield importlib.import_module
    for name in set(sys.modules) - before:
        if "benchmarks" in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


def read_figures(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


several_at_once = pytest.mark.skipif(
    keras.backend.backend() != "jax", reason="only JAX takes several steps at once"
)


@pytest.mark.parametrize(
    ("side", "at_once"),
    [("real", 1), ("full", 1), pytest.param("full", 2, marks=several_at_once)],
)
def test_training_steps_come_with_all_their_figures(
    benchmark, monkeypatch, capsys, side, at_once
):
    train_step = benchmark("train_step")
    monkeypatch.setattr(benchmark("matrix_product"), "SIZE", 64)
    config, lengths, _ = train_step.SIDES[side]
    monkeypatch.setitem(train_step.SIDES, side, (config, lengths, 2))
    train_step.run_side(side, SMALL | {"training.steps_at_once": at_once})
    figures = read_figures(capsys)
    pairs = 2 * at_once * 4
    seconds = figures["step_seconds"] * 2 * at_once
    assert figures["pairs_per_second"] == pytest.approx(pairs / seconds)
    assert figures["real_tokens_per_second"] > figures["pairs_per_second"] * 2
    assert 0 <= figures["padding_share"] < 1
    assert figures["start_up_seconds"] > 0
    assert figures["compile_seconds"] > -seconds
    rate = figures["matrix_product_operations_per_second"]
    share = figures["operations_per_second"] / rate
    assert figures["share_of_matrix_product_rate"] == pytest.approx(share)
    assert figures["ran_on"]["corpus"] == "train.jsonl.gz"


def test_our_side_of_a_comparison_runs(benchmark, monkeypatch, capsys):
    plain_step = benchmark("plain_step")
    monkeypatch.setattr(plain_step, "STEPS", 2)
    monkeypatch.setattr(benchmark("train_step"), "VOCABULARY", 1000)
    plain_step.run_side("ours", "dsa")
    figures = read_figures(capsys)
    assert figures["pairs_per_second"] == pytest.approx(64 / figures["step_seconds"])
