"""What happens during training besides the steps.

A Keras "epoch" here is an interval between two evaluations, a "batch" a call of the
compiled program; see `dsa.training.steps.Steps`.
"""

import logging
import math
import sys
import threading
import time

import keras
from tqdm import tqdm

from dsa.errors import InputError
from dsa.training.training_state import save_state

log = logging.getLogger(__name__)
SECONDS_BETWEEN_LINES = 30
TIMES = ("seconds", "dev_seconds")  # in the logs beside metrics


def evaluated(history, metric):
    """The dev metric of a history's rows, of those that were evaluated."""
    values = (row[f"val_{metric}"] for row in history)
    return [value for value in values if value is not None]


def trained_metrics(logs):
    """The names in Keras's logs that are of training: the loss first."""
    names = [n for n in logs if not n.startswith("val_") and n not in TIMES]
    return sorted(names, key=lambda name: (name != "loss", name))


class StepCallback(keras.callbacks.Callback):
    """A callback that knows the step of the whole training.

    Args:
        steps: the training's `Steps`.
    """

    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.evaluations = self.step = 0  # so far; `step`: with those now taken

    def on_epoch_begin(self, epoch, logs=None):
        self.evaluations = epoch
        self.step = epoch * self.steps.interval

    def on_train_batch_begin(self, batch, logs=None):
        self.step = self.steps.behind(self.evaluations, batch)


class LogCallback(StepCallback):
    """A callback that reads the logs behind each call, in one of Keras's threads (on
    JAX and PyTorch; Keras's TensorFlow has none).

    With a callback that does not, Keras reads them before the next call: on an
    accelerator each step would wait for the end of the one before. All have been read
    before an interval ends; their order is not certain.
    """

    async_safe = True

    def on_train_batch_end(self, batch, logs=None):
        self.on_logs(self.steps.behind(self.evaluations, batch), logs)

    def on_logs(self, step, logs):
        """Called with the logs behind a step, or several taken at once."""


class StopAtStep(StepCallback):
    """Ends training behind the last step, also inside an interval."""

    def on_train_batch_begin(self, batch, logs=None):
        super().on_train_batch_begin(batch, logs)
        if self.step >= self.steps.last:
            self.model.stop_training = True  # behind this call


class StopAtNaN(LogCallback):
    """Raises `InputError` naming the step at which the loss stopped being a number, of
    several taken at once the last. Steps that have begun by then are taken."""

    def on_logs(self, step, logs):
        if not math.isfinite(logs["loss"]):
            raise InputError(
                f"the loss is {logs['loss']} at step {step}; what an evaluation "
                "before it has saved is kept. A lower 'training.learning_rate' or "
                "'training.clip_norm' can help"
            )


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
        metrics = {name: f"{logs[name]:.3f}" for name in trained_metrics(logs)}
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


class DevEvaluation(StepCallback):
    """Puts `val_loss`, `val_<metric>` and the interval's times into the logs.

    `seconds` is the time of the training steps alone, `dev_seconds` the evaluation's.

    Args:
        steps: the training's `Steps`.
        evaluate: a function without arguments to a dictionary with `loss` and `metric`.
        metric: the metric that selects.
        first: steps before which nothing is evaluated.
    """

    def __init__(self, steps, evaluate, metric, first=0):
        super().__init__(steps)
        self.evaluate = evaluate
        self.metric = metric
        self.first = first

    def on_epoch_begin(self, epoch, logs=None):
        super().on_epoch_begin(epoch)
        self.started = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        if hasattr(self.model, "jax_state_sync"):
            self.model.jax_state_sync()
        trained = time.perf_counter()
        if self.step >= self.first:
            metrics = self.evaluate()
            logs["val_loss"] = metrics["loss"]
            logs[f"val_{self.metric}"] = metrics[self.metric]
        logs["seconds"] = trained - self.started
        logs["dev_seconds"] = time.perf_counter() - trained


class Checkpoint(StepCallback):
    """Writes best weights, history and, last, the state from which `--resume` goes on.

    Stands behind all other callbacks, so that it sees what they decided. Killed before
    the state is written, the run replays the interval and writes the same again.

    Args:
        steps: the training's `Steps`.
        run: the `RunFolder`.
        metric: the metric that selects, higher is better.
        steps_per_epoch: steps in one pass over the training data.
        others: callbacks whose counters belong to the state.
        record: the record of the state to go on from, or `None`.
        report: a function that gets the history after each evaluation, and whether
            training ends with it.
    """

    COUNTERS = (
        "wait",
        "best",
        "best_epoch",
        "stopped_epoch",
        "cooldown_counter",
        "halvings",
    )

    def __init__(
        self, steps, run, metric, steps_per_epoch, others, record=None, report=None
    ):
        super().__init__(steps)
        self.run = run
        self.metric = metric
        self.steps_per_epoch = steps_per_epoch
        self.others = others
        self.record = record
        self.report = report
        self.history = list(record["history"]) if record else []

    def on_train_begin(self, logs=None):
        if self.record:  # the others have just reset themselves
            for callback, counters in zip(
                self.others, self.record["callbacks"], strict=True
            ):
                vars(callback).update(counters)

    def on_epoch_begin(self, epoch, logs=None):
        super().on_epoch_begin(epoch)
        rate = self.model.optimizer.learning_rate
        self.learning_rate = float(keras.ops.convert_to_numpy(rate))

    def on_epoch_end(self, epoch, logs=None):
        key = f"val_{self.metric}"
        best = max(evaluated(self.history, self.metric), default=-math.inf)
        row = {
            "evaluation": epoch + 1,
            "step": self.step,
            "epoch": round(self.step / self.steps_per_epoch, 4),
            **dict.fromkeys((*trained_metrics(logs), "val_loss", key)),
            **{name: round(float(value), 6) for name, value in logs.items()},
            "learning_rate": self.learning_rate,
        }
        self.history.append(row)
        is_best = row[key] is not None and row[key] > best
        if is_best:
            self.run.save_weights(self.model)
        self.run.write_history(self.history)
        record = {
            "evaluations": epoch + 1,
            "step": self.step,
            "stopped": bool(self.model.stop_training),
            "history": self.history,
            "callbacks": [self._counters(callback) for callback in self.others],
        }
        save_state(self.run.state, self.model, record)
        self._log(row, trained_metrics(logs), key, is_best)
        if self.report:
            self.report(self.history, record["stopped"])

    def _log(self, row, trained, key, is_best):
        dev = "no evaluation yet"
        if row[key] is not None:
            dev = f"dev loss {row['val_loss']:.4f}, dev {self.metric} {row[key]:.4f}"
        log.info(
            "step %d, epoch %.2f: %s, %s%s",
            self.step,
            row["epoch"],
            ", ".join(f"{name} {row[name]:.4f}" for name in trained),
            dev,
            " (best)" if is_best else "",
        )

    def _counters(self, callback):
        return {
            name: vars(callback)[name]
            for name in self.COUNTERS
            if name in vars(callback)
        }
