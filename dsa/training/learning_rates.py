"""Learning rates by the step: warm-up and decay."""

from typing import Any

import keras
from keras import ops

from dsa.experiment.training_config import TrainingConfig


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that rises in a straight line, `rate * step / warmup_steps`, and
    then follows a schedule. Steps count from 0.

    Args:
        rate: that of the first step after the warm-up.
        warmup_steps: steps with a lower rate.
        then: a function of the steps since the warm-up to the learning rate.
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
    """A number, or a schedule of it by the batches that were taken.

    Args:
        last_step: the step that training ends with; needed for a rate that falls to 0.
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
