"""Schedules of the learning rate, and when training ends by the dev metric."""

import logging
import math
from typing import Any

import keras

from dsa.backends.weight_files import load_weights
from dsa.experiment.training_config import TrainingConfig
from dsa.runs.run_folder import RunFolder
from dsa.training.steps import Steps

log = logging.getLogger(__name__)


class HalveAndReload(keras.callbacks.Callback):
    """At each evaluation without a rise, halves the learning rate and returns to the
    best weights; stops training after the last halving. The optimizer's moments stay.

    Differs from ESIM's released code: there a tie counts as a rise.

    Args:
        metric: the metric that selects, higher is better.
        last: halvings at most.
        run: the `RunFolder` with the best weights.
    """

    model: Any  # Keras sets it before it calls anything here

    def __init__(self, metric: str, last: int, run: RunFolder) -> None:
        super().__init__()
        self.metric = metric
        self.last = last
        self.run = run
        self.best = -math.inf
        self.halvings = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = logs.get(f"val_{self.metric}")
        if value is None:
            return
        if value > self.best:
            self.best = float(value)
            return
        if self.halvings >= self.last:
            self.model.stop_training = True
            return
        self.halvings += 1
        rate: Any = keras.ops.convert_to_numpy(self.model.optimizer.learning_rate)
        self.model.optimizer.learning_rate = rate / 2
        load_weights(self.run.weights, self.model)
        log.info("back to the best weights; learning rate halved (%d)", self.halvings)


class DecayAndDivide(keras.callbacks.Callback):
    """After each evaluation, multiplies the learning rate by a decay; divides it too
    where the dev metric has not risen for some evaluations, and stops training when
    this brings it below a minimum.

    Args:
        metric: the metric that selects, higher is better.
        config: the `DecayAndDivide` of the `TrainingConfig`.

    Reference: Conneau et al. 2017, section 3.3, and the released `train_nli.py`.
    """

    model: Any  # Keras sets it before it calls anything here

    def __init__(self, metric: str, config: Any) -> None:
        super().__init__()
        self.metric = metric
        self.config = config
        self.best = -math.inf
        self.wait = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = logs.get(f"val_{self.metric}")
        rate: Any = keras.ops.convert_to_numpy(self.model.optimizer.learning_rate)
        if value is not None and self._is_time_to_divide(value):
            rate = rate / self.config.divisor
            log.info("learning rate divided by %g", self.config.divisor)
            if rate < self.config.minimum:
                self.model.stop_training = True
        self.model.optimizer.learning_rate = rate * self.config.decay

    def _is_time_to_divide(self, value):
        if value > self.best:
            self.best, self.wait = float(value), 0
            return False
        self.wait += 1
        if self.wait < self.config.patience:
            return False
        self.wait = 0
        return True


class HalveEvery(keras.callbacks.LearningRateScheduler):
    """Halves the learning rate every few epochs, at the first evaluation after them.

    Reference: Nie & Bansal 2017, the released `res_encoder.py`.
    """

    def __init__(
        self, steps: Steps, steps_per_epoch: int, epochs: int, rate: float
    ) -> None:
        def halve(evaluations, _):
            step = evaluations * steps.interval
            return rate / 2 ** (step // steps_per_epoch // epochs)

        super().__init__(halve)


def schedule_callbacks(
    config: TrainingConfig,
    selects: str,
    run: RunFolder,
    steps: Any = None,
    steps_per_epoch: Any = None,
) -> list[keras.callbacks.Callback]:
    """The callbacks that change the learning rate and end training by the dev metric.

    Args:
        selects: the dev metric, higher is better.
        run: the `RunFolder` that holds the best weights.
        steps: the training's `Steps`, and
        steps_per_epoch: steps in one pass over the training rows: for a schedule that
            counts epochs; `None` where the callbacks are only counted.
    """
    watched: Any = {"monitor": f"val_{selects}", "mode": "max"}
    callbacks = []
    if config.schedule.name == "halve_on_plateau":
        callbacks.append(
            keras.callbacks.ReduceLROnPlateau(
                factor=0.5,
                patience=config.schedule.patience,
                min_lr=config.schedule.minimum,
                min_delta=0,
                **watched,
            )
        )
    if config.schedule.name == "halve_and_reload":
        callbacks.append(HalveAndReload(selects, config.schedule.halvings, run))
    if config.schedule.name == "decay_and_divide":
        callbacks.append(DecayAndDivide(selects, config.schedule))
    if config.schedule.name == "halve_every":
        epochs, rate = config.schedule.epochs, config.learning_rate
        callbacks.append(HalveEvery(steps, steps_per_epoch, epochs, rate))
    if config.early_stopping:
        callbacks.append(
            keras.callbacks.EarlyStopping(patience=config.early_stopping, **watched)
        )
    return callbacks
