"""Schedules of the learning rate, and when training ends by the dev metric."""

import logging
import math

import keras

from dsa.backends.weight_files import load_weights

log = logging.getLogger(__name__)


class HalveAndReload(keras.callbacks.Callback):
    """At each evaluation without a rise, halves the learning rate and goes on from the
    best weights; stops training after the last halving. The optimizer's moments stay.

    Differs from ESIM's released code: there a tie counts as a rise.

    Args:
        metric: the metric that selects, higher is better.
        last: halvings at most.
        run: the `RunFolder` with the best weights.
    """

    def __init__(self, metric, last, run):
        super().__init__()
        self.metric = metric
        self.last = last
        self.run = run
        self.best = -math.inf
        self.halvings = 0

    def on_epoch_end(self, epoch, logs=None):
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
        rate = self.model.optimizer.learning_rate
        self.model.optimizer.learning_rate = keras.ops.convert_to_numpy(rate) / 2
        load_weights(self.run.weights, self.model)
        log.info("back to the best weights; learning rate halved (%d)", self.halvings)


def schedule_callbacks(config, selects, run):
    """The callbacks that change the learning rate and end training by the dev metric.

    Args:
        config: the `TrainingConfig`.
        selects: the dev metric, higher is better.
        run: the `RunFolder` that holds the best weights.
    """
    watched = {"monitor": f"val_{selects}", "mode": "max"}
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
    if config.early_stopping:
        callbacks.append(
            keras.callbacks.EarlyStopping(patience=config.early_stopping, **watched)
        )
    return callbacks
