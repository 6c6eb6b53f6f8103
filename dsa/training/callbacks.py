"""Keras callbacks that count steps, evaluate dev and show the progress of training.

The argument `epoch` of Keras counts intervals between two evaluations, and `batch`
counts the steps of an interval, see `dsa.training.steps.Steps`.
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
from dsa.system.terminal import can_show_bars, import_bar
from dsa.training.steps import Steps

SECONDS_BETWEEN_LINES = 30
SMALL_CORPUS = 20_000  # training rows below which overfitting is likely
MIN_DROP = 2  # in standard errors of the dev metric
DIGITS = 6  # decimals of the numbers in history.csv
DURATIONS = ("seconds", "dev_seconds")  # entries of the logs that are not metrics
log = logging.getLogger(__name__)


def list_training_metrics(logs: Iterable[str]) -> list[str]:
    """Returns the names of the training metrics in the logs of Keras, loss first."""
    names = []
    for name in sorted(logs):
        if not name.startswith("val_") and name not in DURATIONS:
            names.append(name)
    if "loss" in names:
        names.remove("loss")
        names.insert(0, "loss")
    return names


class StepCallback(keras.callbacks.Callback):
    """Base class of callbacks that count steps, including those before a resume.

    Args:
        steps: the `Steps` of the run.

    Attributes:
        completed_intervals: number of completed intervals.
        step: number of the current step, counted from 1.
    """

    model: Any  # set by Keras

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self.steps = steps
        self.completed_intervals = 0
        self.step = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.completed_intervals = epoch
        self.step = epoch * self.steps.interval

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.step = self.compute_step(batch)

    def compute_step(self, batch: int) -> int:
        """Returns the number of a step from its position in the current interval."""
        return self.completed_intervals * self.steps.interval + batch + 1


class LogCallback(StepCallback):
    """Base class of callbacks that read the logs of each step.

    With `async_safe`, Keras calls `on_train_batch_end` in a thread on JAX and PyTorch.
    Without it, Keras would read the logs before starting the next step, and an
    accelerator would wait. The calls can arrive in any order, but all of them are made
    before the interval ends.
    """

    async_safe = True

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.on_logs(self.compute_step(batch), logs)

    def on_logs(self, step: int, logs: dict[str, float]) -> None:
        """Processes the logs of a step. Called after each step.

        Args:
            step: number of the step, counted from 1.
            logs: training metrics, averaged over the interval up to this step.
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
    """Evaluates dev after each interval, and adds metrics and durations to the logs.

    The entries of the logs are `val_loss`, `val_<metric>`, `seconds` (duration of the
    training steps) and `dev_seconds` (duration of the evaluation).

    Args:
        steps: the `Steps` of the run.
        evaluate: function that returns a dictionary with the dev loss, the dev metrics
            and the standard errors of some metrics.
        metric: name of the metric that selects the weights.
        first_step: number of the first step after which dev is evaluated.
        other_metrics: names of further metrics to add to the logs.
    """

    def __init__(
        self,
        steps: Steps,
        evaluate: Callable[[], dict[str, float]],
        metric: str,
        first_step: int = 0,
        other_metrics: Sequence[str] = (),
    ) -> None:
        super().__init__(steps)
        self.evaluate = evaluate
        self.metric = metric
        self.first_step = first_step
        self.other_metrics = other_metrics
        self.standard_error: float | None = None  # of `metric` at the last evaluation

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        super().on_epoch_begin(epoch)
        self.start_time = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        update_variables(self.model)
        logs["seconds"] = time.perf_counter() - self.start_time
        logs["dev_seconds"] = 0.0
        if self.step >= self.first_step:
            self.evaluate_dev(logs)

    def evaluate_dev(self, logs: Any) -> None:
        """Evaluates dev, and adds the metrics and the duration to the logs."""
        start_time = time.perf_counter()
        with averaged_weights(self.model):
            metrics = self.evaluate()
        logs["val_loss"] = metrics["loss"]
        for name in (*self.other_metrics, self.metric):
            # rounded as in history.csv, so that all callbacks compare the same values
            logs[f"val_{name}"] = round(float(metrics[name]), DIGITS)
        error_name = f"{self.metric}_standard_error"
        if self.metric == "accuracy":
            error_name = "standard_error"
        self.standard_error = metrics.get(error_name)
        logs["dev_seconds"] = time.perf_counter() - start_time


class LastEvaluation(keras.callbacks.Callback):
    """Evaluates dev if training stops at an interval without an evaluation.

    A user-defined callback can stop training early. This callback ensures that each
    finished run has selected weights.

    Args:
        dev_evaluation: the `DevEvaluation` of the run.
    """

    def __init__(self, dev_evaluation: DevEvaluation) -> None:
        super().__init__()
        self.dev_evaluation = dev_evaluation

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.model.stop_training and "val_loss" not in logs:
            self.dev_evaluation.evaluate_dev(logs)


class Progress(LogCallback):
    """Shows a progress bar with metrics, rows per second and remaining time.

    Without a terminal, a line is logged every `SECONDS_BETWEEN_LINES` seconds.

    Args:
        steps: the `Steps` of the run.
        batch_size: number of rows per step.
    """

    def __init__(self, steps: Steps, batch_size: int) -> None:
        super().__init__(steps)
        self.batch_size = batch_size
        self.lock = threading.Lock()

    def on_train_begin(self, logs: Any = None) -> None:
        self.bar: Any = None
        self.start_time = time.perf_counter()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        super().on_epoch_begin(epoch)
        if self.bar is None:
            self.first_step = self.step
            self.shown_step = self.step
            self.last_log_time = self.start_time
            self.bar = import_bar()(
                total=self.steps.last * self.batch_size,
                initial=self.step * self.batch_size,
                unit=" rows",
                smoothing=0,
                mininterval=0.5,
                disable=not can_show_bars(),
            )

    def on_logs(self, step, logs):
        with self.lock:
            if step > self.shown_step:
                self.shown_step = step
                self.show(logs)

    def show(self, logs: dict[str, Any]) -> None:
        """Updates the progress bar with metrics. Without a bar, logs them regularly.

        Args:
            logs: logs of Keras for the last step.
        """
        metrics = {name: f"{logs[name]:.3f}" for name in list_training_metrics(logs)}
        self.bar.set_postfix(metrics, refresh=False)
        self.bar.update(self.shown_step * self.batch_size - self.bar.n)
        now = time.perf_counter()
        if self.bar.disable and now - self.last_log_time > SECONDS_BETWEEN_LINES:
            self.last_log_time = now
            num_steps = self.shown_step - self.first_step
            steps_per_second = num_steps / (now - self.start_time)
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


class OverfittingHint(StepCallback):
    """Logs a hint, once per run, if the dev metric drops after the first epoch.

    The drop must exceed `MIN_DROP` standard errors, and the corpus must have fewer than
    `SMALL_CORPUS` rows. No hint is logged for a metric without standard error. Keras
    must call this callback after the `Checkpoint`, which appends the last evaluation
    to the history.

    Args:
        steps: the `Steps` of the run.
        steps_per_epoch: number of steps in one pass over the training rows.
        dev_evaluation: the `DevEvaluation` of the run.
        history: rows of `history.csv`, the list of the `Checkpoint`.
        num_rows: number of training rows.
    """

    def __init__(
        self,
        steps: Steps,
        steps_per_epoch: int,
        dev_evaluation: DevEvaluation,
        history: list[dict[str, Any]],
        num_rows: int,
    ) -> None:
        super().__init__(steps)
        self.steps_per_epoch = steps_per_epoch
        self.dev_evaluation = dev_evaluation
        self.history = history
        self.num_rows = num_rows

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        metric = self.dev_evaluation.metric
        standard_error = self.dev_evaluation.standard_error
        if standard_error is None or self.num_rows >= SMALL_CORPUS:
            return
        min_drop = MIN_DROP * standard_error
        if is_first_drop(self.history, metric, self.steps_per_epoch, min_drop):
            log.info(
                "hint: dev %s has fallen since the first epoch, by more than %d "
                "standard errors: the model may be learning the %s training rows by "
                "heart. Try fewer epochs, more dropout or a smaller model",
                metric,
                MIN_DROP,
                f"{self.num_rows:,}",
            )


def is_first_drop(
    history: list[dict[str, Any]], metric: str, steps_per_epoch: int, min_drop: float
) -> bool:
    """Returns whether the dev metric drops for the first time at the last evaluation.

    An evaluation after the first epoch is a drop if its value is lower than the best
    value by more than `min_drop`. There is no drop if the metric has improved since the
    first epoch.

    Args:
        history: rows of `history.csv` so far.
        metric: name of the dev metric; higher is better.
        steps_per_epoch: number of steps in one pass over the training rows.
        min_drop: minimum difference from the best value.
    """
    values = []
    first_epoch_values = []
    for row in history:
        value = row[f"val_{metric}"]
        if value is None:
            continue
        values.append((row["step"], value))
        if row["step"] <= steps_per_epoch:
            first_epoch_values.append(value)
    if not first_epoch_values:
        return False
    best = max(value for _, value in values)
    if max(first_epoch_values) < best:
        return False
    drops = [
        step > steps_per_epoch and value < best - min_drop for step, value in values
    ]
    return drops[-1] and drops.count(True) == 1
