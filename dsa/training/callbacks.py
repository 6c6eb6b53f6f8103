"""What happens during training besides the steps.

A Keras "epoch" here is an interval between two evaluations, a "batch" a call of the
compiled program; see `dsa.training.steps.Steps`.
"""

import logging
import math
import time

import keras

from dsa.backends.weight_files import update_variables
from dsa.errors import InputError

log = logging.getLogger(__name__)


class StepCallback(keras.callbacks.Callback):
    """A callback that knows the step of the whole training.

    Args:
        steps: the training's `Steps`.
    """

    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.evaluations = self.step = 0  # so far; the running step counts

    def on_epoch_begin(self, epoch, logs=None):
        self.evaluations = epoch
        self.step = epoch * self.steps.interval

    def on_train_batch_begin(self, batch, logs=None):
        self.step = self.steps.end_of(self.evaluations, batch)


class LogCallback(StepCallback):
    """A callback that reads the logs of each call in one of Keras's threads (on JAX and
    PyTorch; Keras has no such threads on TensorFlow).

    Without `async_safe`, Keras reads the logs before the next call: on an accelerator
    each step would wait for the end of the step before. All logs have been read when an
    interval ends; their order is not certain.
    """

    async_safe = True

    def on_train_batch_end(self, batch, logs=None):
        self.on_logs(self.steps.end_of(self.evaluations, batch), logs)

    def on_logs(self, step, logs):
        """Called with the logs after a step, or after several steps of one call."""


class StopAtStep(StepCallback):
    """Ends training after the last step, also inside an interval."""

    def on_train_batch_begin(self, batch, logs=None):
        super().on_train_batch_begin(batch, logs)
        if self.step >= self.steps.last:
            self.model.stop_training = True  # after this call


class StopAtNaN(LogCallback):
    """Raises `InputError` with the step at which the loss stopped being a number. Of
    several steps in one call it names the last. Steps that have begun still end."""

    def on_logs(self, step, logs):
        if not math.isfinite(logs["loss"]):
            raise InputError(
                f"the loss is {logs['loss']} at step {step}; what an evaluation "
                "before it has saved is kept. A lower 'training.learning_rate' or "
                "'training.clip_norm' can help"
            )


class DevEvaluation(StepCallback):
    """Puts `val_loss`, `val_<metric>` and the interval's times into the logs.

    `seconds` is the time of the training steps, `dev_seconds` that of the evaluation.

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
        update_variables(self.model)
        trained = time.perf_counter()
        if self.step >= self.first:
            metrics = self.evaluate()
            logs["val_loss"] = metrics["loss"]
            logs[f"val_{self.metric}"] = metrics[self.metric]
        logs["seconds"] = trained - self.started
        logs["dev_seconds"] = time.perf_counter() - trained
