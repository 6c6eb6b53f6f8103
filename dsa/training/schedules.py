"""The schedule of ESIM's released code."""

import logging
import math

import keras

from dsa.backends.weight_files import load_weights

log = logging.getLogger(__name__)


class HalveAndReload(keras.callbacks.Callback):
    """Halves the learning rate and goes on from the best weights at each evaluation
    without a rise; stops behind the last halving. The optimizer's moments stay. As in
    ESIM's released code, but that there a tie counts as a rise.

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
    """The callbacks that decide on learning rate and end by the dev metric; `run`: the
    `RunFolder` that holds the best weights."""
    watched = {"monitor": f"val_{selects}", "mode": "max"}
    decided = []
    if config.schedule.name == "halve_on_plateau":
        decided.append(
            keras.callbacks.ReduceLROnPlateau(
                factor=0.5,
                patience=config.schedule.patience,
                min_lr=config.schedule.minimum,
                min_delta=0,
                **watched,
            )
        )
    if config.schedule.name == "halve_and_reload":
        decided.append(HalveAndReload(selects, config.schedule.halvings, run))
    if config.early_stopping:
        decided.append(
            keras.callbacks.EarlyStopping(patience=config.early_stopping, **watched)
        )
    return decided
