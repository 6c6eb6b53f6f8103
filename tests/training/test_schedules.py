"""Schedules of the learning rate, by hand; and runs with them that are killed."""

import keras
import pytest

from dsa.errors import InputError
from dsa.experiment.schedule_config import DecayAndDivide
from dsa.experiment.yaml_file import validate_settings
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.training import schedules
from dsa.training.steps import Steps
from tests.support.layer_checks import numpy_of
from tests.support.runs import SETTINGS, SMALL_MODEL, write_experiment
from tests.support.stopped_runs import (
    KILLED,
    assert_equal_ends,
    read_run_history,
    train,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too


def make_model(rate):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(rate), "mse", jit_compile=False)
    return model


def rate_of(model):
    return float(numpy_of(model.optimizer.learning_rate))


def follow_dev(accuracies, rate, **settings):
    """The learning rate after each evaluation, and whether training has stopped."""
    config = DecayAndDivide(name="decay_and_divide", **settings)
    model, callback = make_model(rate), schedules.DecayAndDivide("accuracy", config)
    callback.set_model(model)
    rates = []
    for number, accuracy in enumerate(accuracies):
        callback.on_epoch_end(number, {"val_accuracy": accuracy})
        rates.append(rate_of(model))
    return rates, bool(model.stop_training)


def test_a_rate_decays_always_and_is_divided_where_dev_has_not_risen():
    accuracies = (0.5, 0.5, 0.6, None, 0.4, 0.7)
    rates, stopped = follow_dev(accuracies, 0.1, decay=0.9, divisor=4)
    divisions = (0, 1, 1, 1, 2, 2)
    expected = [0.1 * 0.9 ** (n + 1) / 4**d for n, d in enumerate(divisions)]
    assert rates == pytest.approx(expected) and not stopped


def test_a_division_below_the_minimum_stops_and_a_decay_does_not():
    settings = {"decay": 0.5, "divisor": 2, "minimum": 0.011}
    rates, stopped = follow_dev((0.1, 0.2, 0.3, 0.4), 0.1, **settings)
    assert rates[-1] == pytest.approx(0.1 / 2**4) and not stopped
    assert follow_dev((0.1, 0.1), 0.1, **settings)[1] is False  # 0.05 / 2
    assert follow_dev((0.1, 0.1, 0.1), 0.1, **settings)[1] is True  # 0.0125 / 2


def test_patience_counts_evaluations_in_a_row_since_the_last_division():
    accuracies = (0.5, 0.4, 0.6, 0.5, 0.6, 0.5, 0.5)
    rates, _ = follow_dev(accuracies, 0.5, decay=1, divisor=5, patience=2)
    assert rates == pytest.approx([0.5, 0.5, 0.5, 0.5, 0.1, 0.1, 0.02])


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (7, [0.8] * 2 + [0.4] * 2 + [0.2] * 2),
        (6, [0.8] * 3 + [0.4] * 2 + [0.2]),  # after steps 0, 6, 12, 18, 24, 30
        (14, [0.8, 0.4, 0.2, 0.1, 0.05, 0.025]),
    ],
)
def test_a_rate_is_halved_every_two_epochs_of_seven_steps(interval, expected):
    model = make_model(0.8)
    callback = schedules.HalveEvery(Steps(interval, 100), 7, epochs=2, rate=0.8)
    callback.set_model(model)
    rates = []
    for epoch in range(6):
        callback.on_epoch_begin(epoch)
        rates.append(rate_of(model))
    assert rates == pytest.approx(expected)


def check(**training):
    return validate_settings(
        {**SETTINGS, "training": {**SETTINGS["training"], **training}}, "here"
    )


def test_only_a_schedule_that_looks_at_dev_needs_every_evaluation():
    late = {"evaluate_from": 4}
    for name in ("halve_every", "linear_decay"):
        assert check(schedule={"name": name}, **late).training.evaluate_from == 4
    with pytest.raises(InputError, match="'training.evaluate_from' must be 0"):
        check(schedule={"name": "decay_and_divide"}, **late)


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("decay", 0, "greater than 0"),
        ("decay", 1.01, "less than or equal to 1"),
        ("divisor", 1, "greater than 1"),
        ("patience", 0, "greater than 0"),
    ],
)
def test_settings_of_a_schedule_have_ranges(setting, value, message):
    with pytest.raises(InputError, match=message):
        check(schedule={"name": "decay_and_divide", setting: value})


SLOW_SGD = {"optimizer": {"name": "sgd"}, "learning_rate": 1e-6}  # dev stays the same
RUNS = {  # training, and the learning rate of each interval
    "decay_and_divide": (
        {"minimum": 1e-8, "patience": 1},
        [1e-6 * 0.99**n / 5**d for n, d in enumerate((0, 0, 1, 2))],
    ),
    "halve_every": ({"epochs": 1}, [1e-6 / 2**n for n in (0, 0, 0, 1, 1, 1, 2, 2)]),
    "linear_decay": ({}, [1e-6 * (1 - n / 8) for n in range(8)]),
}


@pytest.mark.nightly_on_jax
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.slow if name == "halve_every" else pytest.mark.exhaustive,
        )
        for name in RUNS
    ],
)
def test_a_killed_run_goes_on_with_its_schedule_bit_by_bit(tmp_path, name):
    settings, expected = RUNS[name]
    training = {"evaluate_every": 3, "epochs": 3, **SLOW_SGD}
    training["schedule"] = {"name": name, **settings}
    config = write_experiment(tmp_path, model=SMALL_MODEL, training=training)
    whole, stopped = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "stopped")
    assert train("never", "-", config, whole.path)[0] == 0
    rates = [float(row["learning_rate"]) for row in read_run_history(whole)]
    assert rates == pytest.approx(expected, rel=1e-5)
    assert is_finished(whole)
    for step in (7, 4):
        assert train("kill-step", step, config, stopped.path, "--resume")[0] == KILLED
    assert train("never", "-", config, stopped.path, "--resume")[0] == 0
    assert_equal_ends(whole, stopped, arrays=10)
