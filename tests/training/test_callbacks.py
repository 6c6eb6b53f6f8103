import itertools
import logging
import threading
import types

import keras
import pytest

from dsa.errors import InputError
from dsa.training import callbacks
from dsa.training.callbacks import LogCallback, Progress, StopAtNaN
from dsa.training.steps import Steps
from tests.support.runs import SMALL_MODEL, write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too


@pytest.mark.skipif(
    keras.backend.backend() == "tensorflow", reason="has no threads for logs"
)
def test_no_step_waits_for_the_logs_of_another(scripts, tmp_path, monkeypatch):
    """Keras reads logs in the main thread as soon as one callback wants it so."""
    original, readers = LogCallback.on_train_batch_end, []

    def on_train_batch_end(self, batch, logs=None):
        readers.append(threading.current_thread())
        original(self, batch, logs)

    monkeypatch.setattr(LogCallback, "on_train_batch_end", on_train_batch_end)
    config = write_experiment(
        tmp_path, model=SMALL_MODEL, training={"steps": 5, "evaluate_every": 2}
    )
    arguments = ["--data-root", str(tmp_path), "--run", str(tmp_path / "run")]
    assert scripts.train.main([str(config), *arguments]) == 0
    assert len(readers) == 2 * 5  # Progress and StopAtNaN, each step
    assert threading.main_thread() not in readers


def test_progress_shows_the_latest_step_whatever_comes_after_it():
    progress = Progress(Steps(interval=4, last=8), batch_size=10)
    progress.on_train_begin()
    progress.on_epoch_begin(1)
    shown = []
    progress.show = lambda logs: shown.append((progress.shown_step, logs))
    for batch in (1, 0, 2):
        progress.on_train_batch_end(batch, {"loss": batch})
    assert shown == [(6, {"loss": 1}), (7, {"loss": 2})]


@pytest.mark.parametrize(
    ("seconds", "rates"), [(60, "0 rows/s, 1.0 min left"), (2, "10 rows/s, 0.0 min")]
)
def test_speed_and_remaining_time_count_from_the_first_step(
    monkeypatch, caplog, seconds, rates
):
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    caplog.set_level(logging.INFO, "dsa")
    monkeypatch.setattr(callbacks, "SECONDS_BETWEEN_LINES", 0)
    monkeypatch.setattr(callbacks, "can_show_bars", lambda: False)
    times = itertools.chain([0], itertools.repeat(seconds))
    clock = types.SimpleNamespace(perf_counter=lambda: next(times))
    monkeypatch.setattr(callbacks, "time", clock)
    progress = Progress(Steps(interval=4, last=8), batch_size=10)
    progress.on_train_begin()
    progress.on_epoch_begin(1)  # of a resumed run, at step 4
    progress.on_train_batch_end(1, {"loss": 1.0})
    assert caplog.messages[0].startswith(f"step 6 of 8: loss 1.000, {rates}")


def test_a_loss_that_is_no_number_names_its_step():
    stop = StopAtNaN(Steps(interval=4, last=8))
    stop.on_epoch_begin(1)
    stop.on_train_batch_end(1, {"loss": 0.5})
    with pytest.raises(InputError, match="the loss is inf at step 7;"):
        stop.on_train_batch_end(2, {"loss": float("inf")})
