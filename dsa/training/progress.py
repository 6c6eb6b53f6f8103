"""A bar, or lines, that show how far training is."""

import sys
import threading
import time

from tqdm import tqdm

from dsa.training.callbacks import LogCallback, log
from dsa.training.checkpoint import training_metric_names

SECONDS_BETWEEN_LINES = 30


class Progress(LogCallback):
    """A bar with loss, accuracy, rows/s and time left; lines where none is watched.

    Args:
        steps: the training's `Steps`.
        batch_size: rows a step.
    """

    def __init__(self, steps, batch_size):
        super().__init__(steps)
        self.batch_size = batch_size
        self.lock = threading.Lock()

    def on_train_begin(self, logs=None):
        self.bar = None
        self.started = time.perf_counter()

    def on_epoch_begin(self, epoch, logs=None):
        super().on_epoch_begin(epoch)
        if self.bar is None:
            self.first = self.shown = self.step
            self.last_line = self.started
            self.bar = tqdm(
                total=self.steps.last * self.batch_size,
                initial=self.step * self.batch_size,
                unit=" rows",
                smoothing=0,
                mininterval=0.5,
                disable=not sys.stderr.isatty(),
            )

    def on_logs(self, step, logs):
        with self.lock:
            if step > self.shown:
                self.shown = step
                self._show(logs)

    def _show(self, logs):
        metrics = {name: f"{logs[name]:.3f}" for name in training_metric_names(logs)}
        self.bar.set_postfix(metrics, refresh=False)
        self.bar.update(self.shown * self.batch_size - self.bar.n)
        now = time.perf_counter()
        if self.bar.disable and now - self.last_line > SECONDS_BETWEEN_LINES:
            self.last_line = now
            rate = (self.shown - self.first) / (now - self.started)
            log.info(
                "step %d of %d: %s, %.0f rows/s, %.1f min left",
                self.shown,
                self.steps.last,
                ", ".join(f"{name} {value}" for name, value in metrics.items()),
                rate * self.batch_size,
                (self.steps.last - self.shown) / rate / 60,
            )

    def on_train_end(self, logs=None):
        if self.bar is not None:
            self.bar.close()
