"""Learning rate schedules with linear warm-up and optional decay."""

from typing import Any

import keras
from keras import ops

from dsa.experiment.training_config import TrainingConfig


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """Linear warm-up, `rate * step / warmup_steps`, followed by another schedule.

    Step numbers start at 0, so the first step has a learning rate of 0.

    Args:
        rate: target learning rate of the warm-up.
        warmup_steps: number of warm-up steps.
        schedule: schedule after the warm-up, a function that maps the number of steps
            since the warm-up to the learning rate.
    """

    def __init__(self, rate: float, warmup_steps: int, schedule: Any) -> None:
        super().__init__()
        self.rate = rate
        self.warmup_steps = warmup_steps
        self.schedule = schedule

    def __call__(self, step):
        step = ops.cast(step, "float32")
        rising = self.rate * step / self.warmup_steps
        later_step = ops.maximum(step - self.warmup_steps, 0)
        return ops.where(step < self.warmup_steps, rising, self.schedule(later_step))


def make_learning_rate(config: TrainingConfig, last_step: Any = None) -> Any:
    """Returns a constant learning rate or a learning rate schedule.

    Args:
        config: the `training` section.
        last_step: last training step, required by decay schedules: the learning rate
            is 0 from this step on.
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
    schedule = decay(last_step - warmup_steps) if decay else lambda step: rate
    return WarmUp(rate, warmup_steps, schedule)
