"""Sections of `training.optimizer`."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from dsa.config_section import (
    NonNegativeNumber,
    PositiveNumber,
    Section,
    Share,
    setting,
)

EPSILON = "Small constant that prevents a division by 0."
WEIGHT_DECAY = (
    "Weight decay: each update subtracts this share of a weight, times the learning "
    "rate. Biases, normalizations and word vectors are excluded."
)
WeightDecay = PositiveNumber | None


class AdamConfig(Section):
    """`training.optimizer` for `name: adam` (Kingma & Ba 2015, arXiv:1412.6980)."""

    name: Literal["adam"] = "adam"
    beta_1: Share = setting(0.9, "Decay of the first moment.")
    beta_2: Share = setting(0.999, "Decay of the second moment.")
    epsilon: PositiveNumber = setting(1e-8, EPSILON)
    weight_decay: WeightDecay = setting(None, WEIGHT_DECAY)


class AdamWConfig(AdamConfig):
    """`training.optimizer` for `name: adamw`: Adam with weight decay (Loshchilov &
    Hutter 2019, arXiv:1711.05101)."""

    name: Literal["adamw"]  # pyright: ignore[reportGeneralTypeIssues] (no default)
    weight_decay: PositiveNumber = setting(0.01, WEIGHT_DECAY)


class AdadeltaConfig(Section):
    """`training.optimizer` for `name: adadelta` (Zeiler 2012, arXiv:1212.5701)."""

    name: Literal["adadelta"]
    rho: Share = setting(0.95, "Decay of both moments.")
    epsilon: PositiveNumber = setting(1e-8, EPSILON)
    weight_decay: WeightDecay = setting(None, WEIGHT_DECAY)


class AdagradConfig(Section):
    """`training.optimizer` for `name: adagrad` (Duchi et al. 2011, JMLR 12)."""

    name: Literal["adagrad"]
    initial_accumulator_value: NonNegativeNumber = setting(
        0.1, "Initial sum of squared gradients."
    )
    epsilon: PositiveNumber = setting(1e-7, EPSILON)
    weight_decay: WeightDecay = setting(None, WEIGHT_DECAY)


class SGDConfig(Section):
    """`training.optimizer` for `name: sgd`: stochastic gradient descent."""

    name: Literal["sgd"]
    momentum: Share = setting(
        0.0, "Momentum: share of the previous update that is added."
    )
    nesterov: bool = setting(False, "Whether to use Nesterov momentum.")
    weight_decay: WeightDecay = setting(None, WEIGHT_DECAY)

    @model_validator(mode="after")
    def _check_momentum(self):
        if self.nesterov and not self.momentum:
            raise ValueError(
                "'training.optimizer.nesterov' requires a "
                "'training.optimizer.momentum' above 0"
            )
        return self


OptimizerConfig = Annotated[
    AdamConfig | AdamWConfig | AdadeltaConfig | AdagradConfig | SGDConfig,
    Field(discriminator="name"),
]
