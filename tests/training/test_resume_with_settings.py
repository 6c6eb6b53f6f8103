"""Runs with each setting, stopped by a callback of the user and resumed."""

import keras
import numpy as np
import pytest

import dsa
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.training.training_state import read_state
from tests.support.runs import write_experiment
from tests.support.stopped_runs import (
    assert_equal_ends,
    read_run_arrays,
    read_run_history,
    read_run_step,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

MODEL = {"name": "cbow", "classifier": {"units": 7, "dropout": 0.2}}
TRAINING = {"evaluate_every": 4, "steps": 15}
DECAY = {"schedule": {"name": "cosine_decay"}, "warmup_steps": 5}
SETTINGS = {
    "adamw": {"optimizer": {"name": "adamw", "weight_decay": 0.5}},
    "weight decay": {"optimizer": {"name": "sgd", "weight_decay": 0.5}},
    "warm-up and cosine": DECAY,
    "warm-up": {"warmup_steps": 5},
    "averages": {"use_ema": True, "ema_momentum": 0.8},
    "accumulation": {"gradient_accumulation_steps": 3},
    "label smoothing": {"label_smoothing": 0.2},
    "premises once": {"premises_once": True},
    "all": {
        **DECAY,
        "optimizer": {"name": "adamw"},
        "use_ema": True,
        "gradient_accumulation_steps": 3,
        "label_smoothing": 0.2,
    },
}


class StoppedError(Exception):
    """What the callback of a user raises."""


class StopAt(keras.callbacks.Callback):
    def __init__(self, epoch):
        super().__init__()
        self.epoch = epoch

    def on_epoch_begin(self, epoch, logs=None):
        self.now = epoch

    def on_train_batch_end(self, batch, logs=None):
        if self.now == self.epoch and batch == 1:
            raise StoppedError


def stop_and_resume(folder, training, callbacks=()):
    """A run as a whole, and one that was stopped in its third interval, at step 10."""
    training = {**TRAINING, **training}
    config = write_experiment(folder, model=MODEL, training=training)
    whole, stopped = RunFolder(folder / "whole"), RunFolder(folder / "stopped")

    def train(run, *others):
        dsa.train(config, run.path, data_root=folder, callbacks=others)

    train(whole, *callbacks)
    with pytest.raises(StoppedError):
        train(stopped, *callbacks, StopAt(2))
    assert read_run_step(stopped) == 8 and len(read_run_history(stopped)) == 2
    train(stopped, *callbacks)
    assert is_finished(stopped)
    return whole, stopped


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The arrays of a run without any of the settings."""
    folder = tmp_path_factory.mktemp("plain")
    config = write_experiment(folder, model=MODEL, training=TRAINING)
    return read_run_arrays(
        RunFolder(dsa.train(config, folder / "run", data_root=folder))
    )


IN_CI = ("all", "premises once")  # "all" contains most of the others


@pytest.mark.parametrize(
    "name",
    [
        name if name in IN_CI else pytest.param(name, marks=pytest.mark.exhaustive)
        for name in SETTINGS
    ],
)
def test_a_stopped_run_ends_as_if_it_had_never_stopped(tmp_path, plain, name):
    whole, stopped = stop_and_resume(tmp_path, SETTINGS[name])
    assert_equal_ends(whole, stopped, arrays=10)
    found = read_run_arrays(whole)
    weights = [n for n in plain if not n.startswith(("model/", "optimizer/"))]
    assert any(plain[name] != found[name] for name in weights)


def test_dev_is_measured_with_the_averages_that_are_kept(tmp_path):
    training = {**TRAINING, **SETTINGS["averages"], "select": "last"}
    config = write_experiment(tmp_path, model=MODEL, training=training)
    run = RunFolder(dsa.train(config, tmp_path / "run", data_root=tmp_path))
    loss = dsa.evaluate(run, data_root=tmp_path)["loss"]
    assert float(read_run_history(run)[-1]["val_loss"]) == pytest.approx(loss, abs=1e-5)
    state, _ = read_state(run.state)
    last = dsa.load(run.path, root=tmp_path).model.get_weights()
    same = [any(np.array_equal(a, w) for a in state.values()) for w in last]
    assert all(same)  # the averages are in the state too
    weights = [a for name, a in state.items() if name.startswith("model/")]
    assert not any(np.array_equal(a, w) for a in weights for w in last)


class Shrinks(keras.callbacks.Callback):
    """Changes learning rate and weights, and writes into the logs."""

    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = 0.01 / (epoch + 1)
        for variable in self.model.trainable_variables:
            variable.assign(0.9 * variable)

    def on_epoch_end(self, epoch, logs=None):
        assert {"loss", "val_loss", "val_accuracy"} <= set(logs)
        logs["own"] = "no number"


def test_what_a_callback_does_by_the_epoch_is_resumed(tmp_path, plain):
    whole, stopped = stop_and_resume(tmp_path, {}, [Shrinks()])
    assert_equal_ends(whole, stopped, arrays=10)
    rates = [float(row["learning_rate"]) for row in read_run_history(whole)]
    assert rates == pytest.approx([0.01, 0.01 / 2, 0.01 / 3, 0.01 / 4])
    assert "own" not in read_run_history(whole)[0] and read_run_arrays(whole) != plain


class StopAfterFirst(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.stop_training = True


def test_a_training_that_a_callback_ends_is_finished(tmp_path):
    config = write_experiment(tmp_path, model=MODEL, training=TRAINING)
    for callbacks in ([StopAfterFirst()], []):
        run = dsa.train(
            config, tmp_path / "run", data_root=tmp_path, callbacks=callbacks
        )
        assert read_run_step(RunFolder(run)) == 4 and is_finished(RunFolder(run))


@pytest.mark.parametrize(
    "settings",
    [
        {"data": {"train_on_dev": True}, "training": TRAINING},
        {"training": {**TRAINING, "evaluate_from": 12}},
    ],
)
def test_dev_is_measured_where_a_callback_ends_a_training_before(settings, tmp_path):
    config = write_experiment(tmp_path, model=MODEL, **settings)
    for callbacks in ([StopAfterFirst()], []):
        run = dsa.train(
            config, tmp_path / "run", data_root=tmp_path, callbacks=callbacks
        )
        assert read_run_step(RunFolder(run)) == 4 and is_finished(RunFolder(run))
    (row,) = read_run_history(RunFolder(run))
    assert row["val_accuracy"] and dsa.load(run).predict([("a b", "c")])


def test_a_callback_that_raises_at_once_leaves_no_run(tmp_path):
    config = write_experiment(tmp_path, model=MODEL, training=TRAINING)
    given = {"data_root": tmp_path}
    with pytest.raises(StoppedError):
        dsa.train(config, tmp_path / "run", callbacks=[StopAt(0)], **given)
    assert not (tmp_path / "run").exists()
    with pytest.raises(
        dsa.InputError, match="'callbacks' must be instances .* Received: 7"
    ):
        dsa.train(config, tmp_path / "run", callbacks=[7], **given)
    linear = {
        "data": {"train": "train.jsonl", "dev": "dev.jsonl"},
        "model": {"name": "features"},
    }
    with pytest.raises(
        dsa.InputError, match="trained with Keras. Received: model 'features'"
    ):
        dsa.train(linear, tmp_path / "run", callbacks=[StopAt(0)], **given)
