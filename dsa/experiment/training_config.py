"""The schema of `training`: optimizer, schedule, batches, evaluations."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from dsa.config_section import Count, Number, PositiveNumber, Section, Share


class AdamConfig(Section):
    name: Literal["adam"] = "adam"
    beta_1: Share = 0.9
    beta_2: Share = 0.999
    epsilon: PositiveNumber = 1e-8


class AdadeltaConfig(Section):
    name: Literal["adadelta"]
    rho: Share = 0.95
    epsilon: PositiveNumber = 1e-8


class AdagradConfig(Section):
    name: Literal["adagrad"]
    initial_accumulator_value: Annotated[Number, Field(ge=0)] = 0.1
    epsilon: PositiveNumber = 1e-7


class SGDConfig(Section):
    name: Literal["sgd"]
    momentum: Share = 0.0
    nesterov: bool = False


class ConstantSchedule(Section):
    name: Literal["constant"] = "constant"


class HalveOnPlateau(Section):
    """The learning rate is halved each time the dev metric has not risen for
    `patience` evaluations, down to `minimum`."""

    name: Literal["halve_on_plateau"]
    patience: Count = 1
    minimum: Annotated[Number, Field(ge=0)] = 0.0


class HalveAndReload(Section):
    """Each time the dev metric has not risen, the learning rate is halved and training
    goes on from the best weights; behind so many `halvings` it stops (Chen et al. 2017,
    released code)."""

    name: Literal["halve_and_reload"]
    halvings: Count = 7


class TrainingConfig(Section):
    """`training`. `steps`: of the whole training, in the place of `epochs`.
    `evaluate_every`: steps between evaluations on dev, `null` for one evaluation an
    epoch; `evaluate_from`: the first step after which there is one. `clip_norm`: global
    norm of the gradients, `null` for none. `early_stopping`: evaluations without a rise
    of the dev metric before training stops, `null` for never. `by_length`: pairs of
    similar lengths in a batch, or random ones. `max_tokens`: pairs with a longer
    sentence are left out of training, since a batch's attention weights would fill the
    memory. `shapes`: padded batch shapes at most, where each one is compiled (JAX).
    `steps_at_once`: that one program takes (JAX, one device), of one padded shape where
    it divides `evaluate_every` and the steps of an epoch. `devices`: of this
    machine; "all" share every batch's rows."""

    batch_size: Count = 64
    epochs: Count = 20
    steps: Count | None = None
    evaluate_every: Count | None = None
    evaluate_from: Annotated[int, Field(ge=0)] = 0
    optimizer: Annotated[
        AdamConfig | AdadeltaConfig | AdagradConfig | SGDConfig,
        Field(discriminator="name"),
    ] = AdamConfig()
    learning_rate: PositiveNumber = 1e-3
    clip_norm: PositiveNumber | None = None
    schedule: Annotated[
        ConstantSchedule | HalveOnPlateau | HalveAndReload, Field(discriminator="name")
    ] = ConstantSchedule()
    early_stopping: Count | None = None
    by_length: bool = True
    max_tokens: Count = 512
    shapes: Annotated[int, Field(ge=2)] = 16
    steps_at_once: Count = 1
    devices: Literal["one", "all"] = "one"
    precision: Literal["float32", "mixed_bfloat16"] = "float32"
    tensorboard: bool = False

    @model_validator(mode="after")
    def _possible(self):
        decides = self.schedule.name != "constant" or self.early_stopping is not None
        if self.evaluate_from and decides:
            raise ValueError(
                "'schedule' and 'early_stopping' look at every evaluation, so "
                "'evaluate_from' must be 0 with them"
            )
        if self.steps_at_once > 1 and self.devices != "one":
            raise ValueError("'steps_at_once' above 1 is for 'devices: one'")
        return self

    def last_step(self, steps_per_epoch):
        """The step that training ends with."""
        return self.steps or self.epochs * steps_per_epoch
