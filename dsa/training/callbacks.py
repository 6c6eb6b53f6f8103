"""Keras callbacks of a training.

In these callbacks, a Keras "epoch" is the interval between two evaluations, and a
"batch" is a step, see `dsa.training.steps.Steps`.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras

from dsa.backends.averages import averaged_weights
from dsa.backends.weight_files import update_variables
from dsa.errors import InputError
from dsa.system.terminal import has_bars, import_bar
from dsa.training.steps import Steps

SECONDS_BETWEEN_LINES = 30
SMALL_CORPUS = 20_000  # training rows below which overfitting is likely
MIN_FALL = 2  # standard errors of the dev metric
TIMES = ("seconds", "dev_seconds")  # entries of the logs that are not metrics
log = logging.getLogger(__name__)


def training_metric_names(logs: Iterable[str]) -> list[str]:
    """Returns the names of the training metrics in the logs of Keras, loss first."""
    names = [n for n in logs if not n.startswith("val_") and n not in TIMES]
    return sorted(names, key=lambda name: (name != "loss", name))


class StepCallback(keras.callbacks.Callback):
    """Base class of callbacks that count steps from the beginning of the training."""

    model: Any  # set by Keras

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self.steps = steps
        self.evaluations = self.step = 0  # number of intervals, current step

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.evaluations = epoch
        self.step = epoch * self.steps.interval

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.step = self.number_step(batch)

    def number_step(self, batch: int) -> int:
        """Returns the number of a step from its position in the interval."""
        return self.evaluations * self.steps.interval + batch + 1


class LogCallback(StepCallback):
    """Base class of callbacks that read the logs of each step.

    With `async_safe`, Keras calls them in a thread on JAX and PyTorch. Otherwise Keras
    would read the logs before the next step starts, and an accelerator would wait. All
    logs are read before the interval ends, in any order.
    """

    async_safe = True

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.on_logs(self.number_step(batch), logs)

    def on_logs(self, step: int, logs: dict[str, float]) -> None:
        """Called after each step.

        Args:
            step: number of the step.
            logs: training metrics of the interval up to the step.
        """


class StopAtStep(StepCallback):
    """Stops training after the last step, even within an interval."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        super().on_train_batch_begin(batch, logs)
        if self.step >= self.steps.last:
            self.model.stop_training = True  # after this step


class StopAtNaN(LogCallback):
    """Raises `InputError` at the step at which the loss becomes NaN or infinite."""

    def on_logs(self, step, logs):
        if not math.isfinite(logs["loss"]):
            raise InputError(
                f"the loss is {logs['loss']} at step {step}; the files of earlier "
                "evaluations are kept. Try a lower 'training.learning_rate' or set "
                "'training.clip_norm'"
            )


class DevEvaluation(StepCallback):
    """Evaluates dev after each interval, and adds metrics and times to the logs.

    The entries are `val_loss`, `val_<metric>`, `seconds` (time of the training steps)
    and `dev_seconds` (time of the evaluation).

    Args:
        steps: the `Steps` of the training.
        evaluate: function that returns a dictionary with `loss`, `metric` and, for some
            metrics, the standard error.
        metric: name of the metric that selects the weights.
        first: first step after which dev is evaluated.
        reported: names of further metrics for the logs.
    """

    def __init__(
        self,
        steps: Steps,
        evaluate: Callable[[], dict[str, float]],
        metric: str,
        first: int = 0,
        reported: Sequence[str] = (),
    ) -> None:
        super().__init__(steps)
        self.reported = reported
        self.evaluate = evaluate
        self.metric = metric
        self.first = first
        self.standard_error: float | None = None  # of the last value of the metric

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        super().on_epoch_begin(epoch)
        self.started = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        update_variables(self.model)
        logs["seconds"] = time.perf_counter() - self.started
        logs["dev_seconds"] = 0.0
        if self.step >= self.first:
            self.measure(logs)

    def measure(self, logs: Any) -> None:
        """Evaluates dev and adds the metrics to the logs."""
        start = time.perf_counter()
        with averaged_weights(self.model):
            metrics = self.evaluate()
        logs["val_loss"] = metrics["loss"]
        for name in (*self.reported, self.metric):
            logs[f"val_{name}"] = metrics[name]
        error_name = "standard_error"  # of accuracy
        if self.metric != "accuracy":
            error_name = f"{self.metric}_standard_error"
        self.standard_error = metrics.get(error_name)
        logs["dev_seconds"] = time.perf_counter() - start


class LastEvaluation(keras.callbacks.Callback):
    """Evaluates dev if a user-defined callback stops training before an evaluation.

    This ensures that each finished run has selected weights.

    Args:
        dev: the `DevEvaluation` of the training.
    """

    def __init__(self, dev: DevEvaluation) -> None:
        super().__init__()
        self.dev = dev

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.model.stop_training and "val_loss" not in logs:
            self.dev.measure(logs)


class Progress(LogCallback):
    """Shows a progress bar with metrics, rows/s and remaining time.

    Without a terminal, it logs a line every `SECONDS_BETWEEN_LINES` seconds.

    Args:
        steps: the `Steps` of the training.
        batch_size: number of rows per step.
    """

    def __init__(self, steps: Steps, batch_size: int) -> None:
        super().__init__(steps)
        self.batch_size = batch_size
        self.lock = threading.Lock()

    def on_train_begin(self, logs: Any = None) -> None:
        self.bar: Any = None
        self.started = time.perf_counter()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        super().on_epoch_begin(epoch)
        if self.bar is None:
            self.first_step = self.shown_step = self.step
            self.last_line = self.started
            self.bar = import_bar()(
                total=self.steps.last * self.batch_size,
                initial=self.step * self.batch_size,
                unit=" rows",
                smoothing=0,
                mininterval=0.5,
                disable=not has_bars(),
            )

    def on_logs(self, step, logs):
        with self.lock:
            if step > self.shown_step:
                self.shown_step = step
                self._show(logs)

    def _show(self, logs):
        metrics = {name: f"{logs[name]:.3f}" for name in training_metric_names(logs)}
        self.bar.set_postfix(metrics, refresh=False)
        self.bar.update(self.shown_step * self.batch_size - self.bar.n)
        now = time.perf_counter()
        if self.bar.disable and now - self.last_line > SECONDS_BETWEEN_LINES:
            self.last_line = now
            steps_per_second = (self.shown_step - self.first_step) / (
                now - self.started
            )
            log.info(
                "step %d of %d: %s, %.0f rows/s, %.1f min left",
                self.shown_step,
                self.steps.last,
                ", ".join(f"{name} {value}" for name, value in metrics.items()),
                steps_per_second * self.batch_size,
                (self.steps.last - self.shown_step) / steps_per_second / 60,
            )

    def on_train_end(self, logs: Any = None) -> None:
        if self.bar is not None:
            self.bar.close()


def fell_first(
    history: list[dict[str, Any]], metric: str, steps_per_epoch: int, fall: float
) -> bool:
    """Returns whether the last evaluation is the first one below the first epoch.

    The dev metric must have its best value in the first epoch, and fall below this
    value by more than `fall` for the first time at the last evaluation.

    Args:
        history: rows of `history.csv` so far.
        metric: name of the dev metric.
        steps_per_epoch: number of steps in one pass over the training rows.
        fall: minimum fall of the metric.
    """
    values = [
        (row["step"], row[f"val_{metric}"])
        for row in history
        if row[f"val_{metric}"] is not None
    ]
    first_epoch = [value for step, value in values if step <= steps_per_epoch]
    if not first_epoch:
        return False
    best = max(value for _, value in values)
    if max(first_epoch) < best:
        return False
    has_fallen = [
        step > steps_per_epoch and value < best - fall for step, value in values
    ]
    return has_fallen[-1] and has_fallen.count(True) == 1


class OverfittingHint(StepCallback):
    """Logs a hint, once per training, if the dev metric falls after the first epoch.

    The fall must exceed `MIN_FALL` standard errors, and the corpus must have fewer than
    `SMALL_CORPUS` rows. Without a standard error of the metric, no hint is logged. The
    callback follows the `Checkpoint`, which extends the history.

    Args:
        steps: the `Steps` of the training.
        steps_per_epoch: number of steps in one pass over the training rows.
        dev: the `DevEvaluation` of the training.
        history: rows of `history.csv`, the list of the `Checkpoint`.
        rows: number of training rows.
    """

    def __init__(
        self,
        steps: Steps,
        steps_per_epoch: int,
        dev: DevEvaluation,
        history: list[dict[str, Any]],
        rows: int,
    ) -> None:
        super().__init__(steps)
        self.steps_per_epoch = steps_per_epoch
        self.dev = dev
        self.history = history
        self.rows = rows

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        metric, error = self.dev.metric, self.dev.standard_error
        if error is None or self.rows >= SMALL_CORPUS:
            return
        if fell_first(self.history, metric, self.steps_per_epoch, MIN_FALL * error):
            log.info(
                "hint: dev %s has fallen since the first epoch, by more than %d "
                "standard errors: the model may be learning the %s training rows by "
                "heart. Try fewer epochs, more dropout or a smaller model",
                metric,
                MIN_FALL,
                f"{self.rows:,}",
            )
