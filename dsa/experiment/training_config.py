"""The schema of `training`: optimizer, schedule, batches, evaluations."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from dsa.config_section import (
    MOST,
    Count,
    NonNegativeCount,
    NonNegativeNumber,
    Number,
    PositiveNumber,
    Rows,
    Section,
    Share,
    setting,
)

Tracker = Literal["tensorboard", "wandb", "trackio"]
EPSILON = "Keeps the division by a small moment finite."


def _check_longest(value):
    """A number of tokens, or a percentile of the sentences' lengths."""
    if isinstance(value, str):
        known = re.fullmatch(r"percentile [1-9][0-9]?(\.[0-9]+)?", value)
    else:
        known = type(value) is int and 1 <= value <= MOST
    if not known:
        raise ValueError("must be a number of tokens, at least 1, or 'percentile 97'")
    return value


def _check_repetition(names):
    if len(set(names)) < len(names):
        raise ValueError("must name each tracker once")
    return names


class AdamConfig(Section):
    """`training.optimizer` for `name: adam` (Kingma & Ba 2015, arXiv:1412.6980)."""

    name: Literal["adam"] = "adam"
    beta_1: Share = setting(0.9, "Decay of the first moment.")
    beta_2: Share = setting(0.999, "Decay of the second moment.")
    epsilon: PositiveNumber = setting(1e-8, EPSILON)


class AdadeltaConfig(Section):
    """`training.optimizer` for `name: adadelta` (Zeiler 2012, arXiv:1212.5701)."""

    name: Literal["adadelta"]
    rho: Share = setting(0.95, "Decay of both moments.")
    epsilon: PositiveNumber = setting(1e-8, EPSILON)


class AdagradConfig(Section):
    """`training.optimizer` for `name: adagrad` (Duchi et al. 2011, JMLR 12)."""

    name: Literal["adagrad"]
    initial_accumulator_value: NonNegativeNumber = setting(
        0.1, "What the sum of squared gradients begins with."
    )
    epsilon: PositiveNumber = setting(1e-7, EPSILON)


class SGDConfig(Section):
    """`training.optimizer` for `name: sgd`: stochastic gradient descent."""

    name: Literal["sgd"]
    momentum: Share = setting(0.0, "Share of the last step that is added to the next.")
    nesterov: bool = setting(False, "Nesterov's form of the momentum.")


class ConstantSchedule(Section):
    """`training.schedule` for `name: constant`."""

    name: Literal["constant"] = "constant"


class HalveOnPlateau(Section):
    """`training.schedule` for `name: halve_on_plateau`: the learning rate is halved
    each time the dev metric has not risen for some evaluations."""

    name: Literal["halve_on_plateau"]
    patience: Count = setting(1, "Evaluations without a rise before a halving.")
    minimum: NonNegativeNumber = setting(0.0, "The learning rate falls no lower.")


class HalveAndReload(Section):
    """`training.schedule` for `name: halve_and_reload`: each time the dev metric has
    not risen, the learning rate is halved and training goes on from the best weights
    (Chen et al. 2017, released code)."""

    name: Literal["halve_and_reload"]
    halvings: Count = setting(7, "Training stops after so many halvings.")


class DecayAndDivide(Section):
    """`training.schedule` for `name: decay_and_divide`: after each evaluation the
    learning rate is multiplied by `decay`, and divided by `divisor` too where the dev
    metric has not risen; training stops when a division brings it below `minimum`
    (Conneau et al. 2017, released code)."""

    name: Literal["decay_and_divide"]
    decay: Annotated[Number, Field(gt=0, le=1)] = setting(
        0.99, "Factor after each evaluation; 1 for none."
    )
    divisor: Annotated[Number, Field(gt=1)] = setting(
        5.0, "Divisor after evaluations without a rise."
    )
    patience: Count = setting(1, "Evaluations without a rise before a division.")
    minimum: NonNegativeNumber = setting(
        1e-5, "Training stops at a division to a learning rate below this."
    )


class HalveEvery(Section):
    """`training.schedule` for `name: halve_every`: the learning rate is halved every
    few epochs, whatever dev says (Nie & Bansal 2017, released code). With
    `evaluate_every`, a halving waits for the next evaluation."""

    name: Literal["halve_every"]
    epochs: Count = setting(2, "Passes over the training rows between two halvings.")


class LinearDecay(Section):
    """`training.schedule` for `name: linear_decay`: the learning rate falls in a
    straight line from that of the first step to 0 after the last one."""

    name: Literal["linear_decay"]


class TrainingConfig(Section):
    """`training`."""

    batch_size: Rows = setting(64, "Rows a step.")
    epochs: Count = setting(20, "Passes over the training rows.")
    steps: Count | None = setting(
        None, "Steps of the whole training, instead of `epochs`."
    )
    evaluate_every: Count | None = setting(
        None, "Steps between evaluations on dev; `null` for one an epoch."
    )
    evaluate_from: NonNegativeCount = setting(
        0, "The first step after which dev is evaluated."
    )
    optimizer: Annotated[
        AdamConfig | AdadeltaConfig | AdagradConfig | SGDConfig,
        Field(discriminator="name"),
    ] = AdamConfig()
    learning_rate: PositiveNumber = setting(1e-3, "Learning rate of the first step.")
    clip_norm: PositiveNumber | None = setting(
        None, "Global norm that gradients are scaled down to; `null` for none."
    )
    schedule: Annotated[
        ConstantSchedule
        | HalveOnPlateau
        | HalveAndReload
        | DecayAndDivide
        | HalveEvery
        | LinearDecay,
        Field(discriminator="name"),
    ] = ConstantSchedule()
    select: Literal["best", "last"] = setting(
        "best",
        "Which evaluation's weights are kept: the best by the dev metric, or the last: "
        "then nothing is selected on dev.",
    )
    early_stopping: Count | None = setting(
        None,
        "Evaluations without a rise of the dev metric before training stops; `null` "
        "for never.",
    )
    refit_with_dev: bool = setting(
        False,
        "Trains again, on train and dev, for as many epochs as dev chose, into "
        "`with_dev/` below the run folder.",
    )
    by_length: bool = setting(
        True, "Rows of similar lengths in a batch; `false` for random batches."
    )
    max_tokens: Annotated[int | str, BeforeValidator(_check_longest)] = setting(
        512,
        "Rows with a longer sentence are left out of training: a batch's attention "
        "weights would fill the memory. `percentile 97`: longer than 97 % of the "
        "sentences of train.",
    )
    shapes: Annotated[int, Field(ge=2)] = setting(
        16, "Padded batch shapes at most, where each one is compiled (JAX)."
    )
    steps_at_once: Count = setting(
        1,
        "Steps that one program takes (JAX, one device), of one padded shape where it "
        "divides `evaluate_every` and the steps of an epoch.",
    )
    devices: Literal["one", "all"] = setting(
        "one", "Devices of this machine; `all` share every batch's rows."
    )
    precision: Literal["float32", "mixed_bfloat16"] = setting(
        "float32", "Numbers that the model computes with."
    )
    track: Annotated[list[Tracker], AfterValidator(_check_repetition)] = setting(
        [],
        "Trackers that get a copy of `history.csv` and of the config: `tensorboard`, "
        "`wandb`, `trackio`. It decides nothing of the result: a run can resume with "
        "others.",
    )

    @model_validator(mode="after")
    def _possible(self):
        decides = self.follows_dev or self.early_stopping is not None
        if self.evaluate_from and decides:
            raise ValueError(
                "'schedule' and 'early_stopping' look at every evaluation, so "
                "'evaluate_from' must be 0 with them"
            )
        if self.select == "last" and decides:
            raise ValueError(
                "'select: last' does not go with a 'schedule' or 'early_stopping' that "
                "follows dev"
            )
        if self.steps_at_once > 1 and self.devices != "one":
            raise ValueError("'steps_at_once' above 1 is for 'devices: one'")
        return self

    @property
    def follows_dev(self):
        """Whether the learning rate is a matter of what dev says."""
        return self.schedule.name not in ("constant", "halve_every", "linear_decay")

    def last_step(self, steps_per_epoch):
        """The step that training ends with."""
        return self.steps or self.epochs * steps_per_epoch
