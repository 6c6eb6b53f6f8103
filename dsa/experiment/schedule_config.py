"""Sections of `training.schedule`."""

from typing import Annotated, Literal

from pydantic import Field

from dsa.config_section import Count, NonNegativeNumber, Number, Section, setting

# schedules that do not depend on the dev metric and can follow a warm-up
STEP_SCHEDULES = ("constant", "linear_decay", "cosine_decay")


class ConstantSchedule(Section):
    """`training.schedule` for `name: constant`: a constant learning rate."""

    name: Literal["constant"] = "constant"


class HalveOnPlateau(Section):
    """`training.schedule` for `name: halve_on_plateau`: halves the learning rate when
    the dev metric has not improved for `patience` evaluations."""

    name: Literal["halve_on_plateau"]
    patience: Count = setting(
        1, "Number of evaluations without improvement before a halving."
    )
    minimum: NonNegativeNumber = setting(0.0, "Minimum learning rate.")


class HalveAndReload(Section):
    """`training.schedule` for `name: halve_and_reload`: after each evaluation without
    improvement, halves the learning rate and restores the best weights (Chen et al.
    2017, released code)."""

    name: Literal["halve_and_reload"]
    halvings: Count = setting(7, "Number of halvings after which training stops.")


class DecayAndDivide(Section):
    """`training.schedule` for `name: decay_and_divide`: multiplies the learning rate by
    `decay` after each evaluation, and divides it by `divisor` if the dev metric has not
    improved. Training stops if a division results in a rate below `minimum` (Conneau et
    al. 2017, released code)."""

    name: Literal["decay_and_divide"]
    decay: Annotated[Number, Field(gt=0, le=1)] = setting(
        0.99, "Factor of the learning rate after each evaluation; 1 for no decay."
    )
    divisor: Annotated[Number, Field(gt=1)] = setting(
        5.0, "Divisor of the learning rate after evaluations without improvement."
    )
    patience: Count = setting(
        1, "Number of evaluations without improvement before a division."
    )
    minimum: NonNegativeNumber = setting(
        1e-5, "Minimum learning rate: training stops if a division falls below it."
    )


class HalveEvery(Section):
    """`training.schedule` for `name: halve_every`: halves the learning rate every few
    epochs, at the next evaluation (Nie & Bansal 2017, released code)."""

    name: Literal["halve_every"]
    epochs: Count = setting(2, "Number of epochs between two halvings.")


class LinearDecay(Section):
    """`training.schedule` for `name: linear_decay`: decreases the learning rate
    linearly from the first step to 0 after the last step."""

    name: Literal["linear_decay"]


class CosineDecay(Section):
    """`training.schedule` for `name: cosine_decay`: decreases the learning rate along
    half a cosine from the first step to 0 after the last step (Loshchilov & Hutter
    2017, arXiv:1608.03983, without restarts)."""

    name: Literal["cosine_decay"]


ScheduleConfig = Annotated[
    ConstantSchedule
    | HalveOnPlateau
    | HalveAndReload
    | DecayAndDivide
    | HalveEvery
    | LinearDecay
    | CosineDecay,
    Field(discriminator="name"),
]
