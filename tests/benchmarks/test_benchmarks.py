"""Sides of the benchmarks, made small, to their figures."""

import functools
import importlib
import json
import sys

import keras
import pytest

from dsa.experiment import yaml_file

SMALL = {
    "model.units": 10,
    "model.classifier.units": 10,
    "training.batch_size": 4,
}


@pytest.fixture
def benchmark():
    """Imports a benchmark by name, as its script imports the files beside it."""
    before = set(sys.modules)

    yield importlib.import_module
    for name in set(sys.modules) - before:
        if "benchmarks" in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


def read_figures(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "side", ["real", pytest.param("full", marks=pytest.mark.exhaustive)]
)
def test_training_steps_come_with_all_their_figures(
    benchmark, monkeypatch, capsys, side
):
    train_step = benchmark("train_step")
    monkeypatch.setattr(benchmark("matrix_product"), "SIZE", 64)
    config, lengths, _ = train_step.SIDES[side]
    monkeypatch.setitem(train_step.SIDES, side, (config, lengths, 2))
    monkeypatch.setattr("measuring.CORPORA", ("mini/train.jsonl",))
    train_step.run_side(side, SMALL)
    figures = read_figures(capsys)
    pairs = 2 * 4
    seconds = figures["step_seconds"] * 2
    assert figures["pairs_per_second"] == pytest.approx(pairs / seconds)
    assert figures["real_tokens_per_second"] > figures["pairs_per_second"] * 2
    assert 0 <= figures["padding_share"] < 1
    assert figures["start_up_seconds"] > 0
    assert figures["compile_seconds"] > -seconds
    rate = figures["matrix_product_operations_per_second"]
    share = figures["operations_per_second"] / rate
    assert figures["share_of_matrix_product_rate"] == pytest.approx(share)
    assert figures["ran_on"]["corpus"] == "train.jsonl.gz"
    assert figures["ran_on"]["matmul_precision"] == "float32"


@pytest.mark.slow
def test_our_side_of_a_comparison_runs(benchmark, monkeypatch, capsys):
    plain_step = benchmark("plain_step")
    monkeypatch.setattr(benchmark("train_step"), "VOCABULARY", 1000)
    plain_step.run_side("ours", "dsa", steps=2)
    figures = read_figures(capsys)
    assert figures["pairs_per_second"] == pytest.approx(64 / figures["step_seconds"])


needs_fast_forms = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="only TensorFlow has these forms"
)


FORMS = {  # where each form is
    "layer_normalization": ("layer_normalization", "LayerNormalization", "call"),
    "untuned_dataset": ("feed", None, "disable_autotuning"),
    "adam": ("optimizers", "SummedAdam", "update_step"),
    "adadelta": ("optimizers", "SummedAdadelta", "update_step"),
}


@pytest.fixture
def eager():
    """TensorFlow does not trace functions: a few small steps are faster without."""
    import tensorflow as tf

    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.mark.slow
@needs_fast_forms
@pytest.mark.parametrize(
    "form",
    [
        "layer_normalization",
        *(pytest.param(form, marks=pytest.mark.exhaustive) for form in list(FORMS)[1:]),
    ],
)
@pytest.mark.usefixtures("eager")
def test_each_form_is_replaced_on_one_of_two_sides(
    benchmark, monkeypatch, capsys, form
):
    fast_forms = benchmark("fast_forms")
    assert set(fast_forms.FORMS) == set(FORMS)
    monkeypatch.setattr(benchmark("train_step"), "VOCABULARY", 1000)
    load = yaml_file.load_experiment
    small = {"model.units": 10, "training.batch_size": 4}
    monkeypatch.setattr(
        yaml_file, "load_experiment", lambda config: load(config, small)
    )
    calls = count_calls(monkeypatch, *FORMS[form])
    [[ours, of_keras]] = fast_forms.list_sides([form])
    fast_forms.run_side(ours, 1, orders=[])
    assert calls
    calls.clear()
    fast_forms.run_side(of_keras, 1, orders=["\n", "\n"])
    assert not calls
    _, ready, _, figures = map(json.loads, capsys.readouterr().out.splitlines())
    assert ready["ran_on"]["backend"] == "tensorflow"
    pairs_per_second = 4 / figures["step_seconds"]
    assert figures["pairs_per_second"] == pytest.approx(pairs_per_second)
    assert figures["seconds_until_returned"] > figures["step_seconds"]


def count_calls(monkeypatch, module, owner, name):
    """A list that grows with each call of a form, which the test may replace."""
    owner_of_form = importlib.import_module(f"dsa.backends.{module}")
    if owner:
        owner_of_form = getattr(owner_of_form, owner)
    form, calls = getattr(owner_of_form, name), []

    @functools.wraps(form)
    def counted(*arguments):
        calls.append(name)
        return form(*arguments)

    monkeypatch.setattr(owner_of_form, name, counted)
    return calls


def test_models_run_once_as_they_are_for_all_their_forms(benchmark):
    fast_forms = benchmark("fast_forms")
    assert fast_forms.list_sides(
        ["adam", "untuned_dataset", "layer_normalization"]
    ) == [
        ["esim", "esim, Keras's adam"],
        ["dsa", "dsa, Keras's untuned_dataset", "dsa, Keras's layer_normalization"],
    ]


def test_forms_are_compared_round_by_round(benchmark, capsys):
    fast_forms = benchmark("fast_forms")
    figures = {
        "dsa": {"step_seconds": [1.0, 2.0, 4.0], "seconds_until_returned": [5, 5, 5]},
        "dsa, Keras's layer_normalization": {"step_seconds": [1.1, 2.04, 4.0]},
        "dsa, Keras's untuned_dataset": {"seconds_until_returned": [5, 5, 8]},
    }
    forms = ["layer_normalization", "untuned_dataset"]
    facts = fast_forms.compare_forms(forms, figures)
    assert facts["seconds_with_the_form_of_keras_against_ours"] == {
        "layer_normalization": 1.02,  # the median of the rounds
        "untuned_dataset": 1.2,  # their mean
    }
    fast_forms.print_verdicts(facts)
    assert capsys.readouterr().err.splitlines() == [
        "layer_normalization: Keras's form takes 1.020 times as long (1.000 to 1.100, "
        "3 rounds): not shown to be faster",
        "untuned_dataset: Keras's form takes 1.200 times as long (1.000 to 1.600, "
        "3 rounds): worth its code",
    ]
