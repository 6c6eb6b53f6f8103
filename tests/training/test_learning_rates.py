"""Warm-up and decay, by hand and by Keras's own warm-up."""

import math

import keras
import pytest

from dsa.errors import InputError
from dsa.training.schedules import make_learning_rate
from dsa.training.steps import plan_steps
from tests.support.layer_checks import numpy_of
from tests.support.runs import read_training

pytestmark = pytest.mark.keras  # run on JAX in CI too

RATE, WARMUP, LAST = 0.3, 4, 11


def rates(name, warmup_steps):
    config = read_training(
        learning_rate=RATE, warmup_steps=warmup_steps, schedule={"name": name}
    )
    schedule = make_learning_rate(config, LAST)
    return [float(numpy_of(schedule(step))) for step in range(LAST + 1)]


def share_left(name, done):
    if name == "linear_decay":
        return 1 - done
    return (1 + math.cos(math.pi * done)) / 2


@pytest.mark.parametrize("name", ["linear_decay", "cosine_decay"])
def test_a_rate_falls_from_the_first_step_to_0_after_the_last_one(name):
    expected = [RATE * share_left(name, step / LAST) for step in range(LAST + 1)]
    assert rates(name, 0) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("name", ["linear_decay", "cosine_decay"])
def test_a_decay_begins_after_the_warm_up(name):
    rising = [RATE * step / WARMUP for step in range(WARMUP)]
    falling = [
        RATE * share_left(name, step / (LAST - WARMUP))
        for step in range(LAST - WARMUP + 1)
    ]
    assert rates(name, WARMUP) == pytest.approx(rising + falling, abs=1e-7)


def test_warm_up_and_cosine_are_those_of_keras():
    schedule = keras.optimizers.schedules.CosineDecay(
        0.0, LAST - WARMUP, warmup_target=RATE, warmup_steps=WARMUP
    )
    expected = [float(numpy_of(schedule(step))) for step in range(LAST + 1)]
    assert rates("cosine_decay", WARMUP) == pytest.approx(expected, abs=1e-7)


def test_a_constant_rate_follows_its_warm_up():
    expected = [0, RATE / 4, RATE / 2, RATE * 3 / 4, *[RATE] * 8]
    assert rates("constant", WARMUP) == pytest.approx(expected)
    assert make_learning_rate(read_training(learning_rate=RATE)) == RATE


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"warmup_steps": 6}, "must be below the number of steps, 6. Received: 6"),
        (
            {"gradient_accumulation_steps": 7},
            "must not exceed the number of steps, 6, .* Received: 7",
        ),
    ],
)
def test_a_training_that_would_change_nothing_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        plan_steps(read_training(epochs=2, **settings), steps_per_epoch=3)
    allowed = {name: value - 1 for name, value in settings.items()}
    assert plan_steps(read_training(epochs=2, **allowed), steps_per_epoch=3).last == 6
