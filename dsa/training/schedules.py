"""Learning rate schedules, by step or by dev metric, and early stopping."""

import logging
import math
from typing import Any

import keras
from keras import ops

from dsa.backends.weight_files import load_weights
from dsa.experiment.training_config import TrainingConfig
from dsa.runs.run_folder import RunFolder
from dsa.training.steps import Steps

log = logging.getLogger(__name__)


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up, `rate * step / warmup_steps`, followed by another schedule.

    Steps are counted from 0, so the learning rate of the first step is 0.

    Args:
        rate: target learning rate of the warm-up.
        warmup_steps: number of warm-up steps.
        schedule: function that returns the learning rate for a number of steps after
            the warm-up.
    """

    def __init__(self, rate: float, warmup_steps: int, schedule: Any) -> None:
        super().__init__()
        self.rate = rate
        self.warmup_steps = warmup_steps
        self.schedule = schedule

    def __call__(self, step):
        step = ops.cast(step, "float32")
        warmup_rate = self.rate * step / self.warmup_steps
        scheduled_rate = self.schedule(ops.maximum(step - self.warmup_steps, 0))
        return ops.where(step < self.warmup_steps, warmup_rate, scheduled_rate)


def make_learning_rate(config: TrainingConfig, last_step: Any = None) -> Any:
    """Returns a constant learning rate or a learning rate schedule.

    Args:
        config: the `training` section.
        last_step: number of the last training step, after which decay schedules are 0;
            not used by other schedules.
    """
    rate = config.learning_rate
    warmup_steps = config.warmup_steps
    schedules: Any = keras.optimizers.schedules
    schedule = None
    if config.schedule.name == "linear_decay":
        schedule = schedules.PolynomialDecay(
            rate,
            decay_steps=last_step - warmup_steps,
            end_learning_rate=0.0,
            power=1.0,
        )
    elif config.schedule.name == "cosine_decay":
        schedule = schedules.CosineDecay(rate, decay_steps=last_step - warmup_steps)
    if warmup_steps:
        if schedule is None:
            return WarmUp(rate, warmup_steps, lambda step: rate)
        return WarmUp(rate, warmup_steps, schedule)
    if schedule is None:
        return rate
    return schedule


class HalveAndReload(keras.callbacks.Callback):
    """Halves the learning rate and restores the best weights after each evaluation
    without improvement.

    Training stops at the first evaluation without improvement after `max_halvings`
    halvings. The moments of the optimizer are kept.

    Unlike in the released code of ESIM, an equal value is not an improvement.

    Args:
        metric: name of the dev metric; higher is better.
        max_halvings: maximum number of halvings.
        run: the `RunFolder` with the best weights.
    """

    model: Any  # set by Keras

    def __init__(self, metric: str, max_halvings: int, run: RunFolder) -> None:
        super().__init__()
        self.metric = metric
        self.max_halvings = max_halvings
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
        if self.halvings >= self.max_halvings:
            self.model.stop_training = True
            return
        self.halvings += 1
        rate: Any = keras.ops.convert_to_numpy(self.model.optimizer.learning_rate)
        self.model.optimizer.learning_rate = rate / 2
        load_weights(self.run.weights, self.model)
        log.info("best weights restored, learning rate halved (%d)", self.halvings)


class DecayAndDivide(keras.callbacks.Callback):
    """Decays the learning rate after each evaluation, and divides it after evaluations
    without improvement.

    Training stops if a division results in a learning rate below the minimum.

    Args:
        metric: name of the dev metric; higher is better.
        config: section `training.schedule` with `decay`, the factor after each
            evaluation, `divisor`, `minimum`, and `patience`, the number of evaluations
            without improvement before a division.

    Reference: Conneau et al. 2017, section 3.3, and the released `train_nli.py`.
    """

    model: Any  # set by Keras

    def __init__(self, metric: str, config: Any) -> None:
        super().__init__()
        self.metric = metric
        self.config = config
        self.best = -math.inf
        self.wait = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = logs.get(f"val_{self.metric}")
        rate: Any = keras.ops.convert_to_numpy(self.model.optimizer.learning_rate)
        if value is not None:
            if value > self.best:
                self.best = float(value)
                self.wait = 0
            else:
                self.wait += 1
        if self.wait >= self.config.patience:
            self.wait = 0
            rate = rate / self.config.divisor
            log.info("learning rate divided by %g", self.config.divisor)
            if rate < self.config.minimum:
                self.model.stop_training = True
        self.model.optimizer.learning_rate = rate * self.config.decay


class HalveEvery(keras.callbacks.LearningRateScheduler):
    """Halves the learning rate after every `epochs` epochs.

    The learning rate changes only between two evaluations.

    Args:
        steps: the `Steps` of the run.
        steps_per_epoch: number of steps in one pass over the training rows.
        epochs: number of epochs between two halvings.
        rate: initial learning rate.

    Reference: Nie & Bansal 2017, the released `res_encoder.py`.
    """

    def __init__(
        self, steps: Steps, steps_per_epoch: int, epochs: int, rate: float
    ) -> None:
        def compute_rate(completed_intervals, _current_rate):
            completed_epochs = completed_intervals * steps.interval // steps_per_epoch
            return rate / 2 ** (completed_epochs // epochs)

        super().__init__(compute_rate)


def make_schedule_callbacks(
    config: TrainingConfig,
    metric: str,
    run: RunFolder,
    steps: Any = None,
    steps_per_epoch: Any = None,
) -> list[keras.callbacks.Callback]:
    """Returns the callbacks that change the learning rate or stop training.

    Args:
        config: the `training` section.
        metric: name of the dev metric; higher is better.
        run: the `RunFolder` with the best weights.
        steps: the `Steps` of the run; required by the schedule `halve_every`.
        steps_per_epoch: number of steps in one pass over the training rows; required
            by the schedule `halve_every`.
    """
    monitor = f"val_{metric}"
    callbacks: list[keras.callbacks.Callback] = []
    if config.schedule.name == "halve_on_plateau":
        callbacks.append(
            keras.callbacks.ReduceLROnPlateau(
                monitor=monitor,
                mode="max",
                factor=0.5,
                patience=config.schedule.patience,
                min_lr=config.schedule.minimum,
                min_delta=0,
            )
        )
    elif config.schedule.name == "halve_and_reload":
        callbacks.append(HalveAndReload(metric, config.schedule.halvings, run))
    elif config.schedule.name == "decay_and_divide":
        callbacks.append(DecayAndDivide(metric, config.schedule))
    elif config.schedule.name == "halve_every":
        callbacks.append(
            HalveEvery(
                steps,
                steps_per_epoch,
                epochs=config.schedule.epochs,
                rate=config.learning_rate,
            )
        )
    if config.early_stopping:
        callbacks.append(
            keras.callbacks.EarlyStopping(
                monitor=monitor, mode="max", patience=config.early_stopping
            )
        )
    return callbacks
