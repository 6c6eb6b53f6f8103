"""Learning rate schedules with warm-up and decay."""

from typing import Any

import keras
from keras import ops

from dsa.experiment.training_config import TrainingConfig


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up, `rate * step / warmup_steps`, followed by another schedule.

    Steps count from 0.

    Args:
        rate: learning rate of the first step after the warm-up.
        warmup_steps: number of steps of the warm-up.
        then: a function from the steps since the warm-up to the learning rate.
    """

    def __init__(self, rate: float, warmup_steps: int, then: Any) -> None:
        super().__init__()
        self.rate = rate
        self.warmup_steps = warmup_steps
        self.then = then

    def __call__(self, step):
        step = ops.cast(step, "float32")
        rising = self.rate * step / self.warmup_steps
        since = ops.maximum(step - self.warmup_steps, 0)
        return ops.where(step < self.warmup_steps, rising, self.then(since))


def make_learning_rate(config: TrainingConfig, last_step: Any = None) -> Any:
    """Returns the learning rate, a number or a schedule over steps.

    Args:
        config: the `training` section.
        last_step: the last step of the training, for a rate that decays to 0.
    """
    rate, warmup_steps = config.learning_rate, config.warmup_steps
    schedules: Any = keras.optimizers.schedules
    decays = {
        "linear_decay": lambda steps: schedules.PolynomialDecay(
            rate, decay_steps=steps, end_learning_rate=0.0, power=1.0
        ),
        "cosine_decay": lambda steps: schedules.CosineDecay(rate, decay_steps=steps),
    }
    decay = decays.get(config.schedule.name)
    if not warmup_steps:
        return decay(last_step) if decay else rate
    then = decay(last_step - warmup_steps) if decay else lambda since: rate
    return WarmUp(rate, warmup_steps, then)
