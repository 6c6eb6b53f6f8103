"""The schema of `training`: schedule, batches, evaluations."""

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
from dsa.experiment.optimizer_config import AdamConfig, OptimizerConfig

BY_STEP = ("constant", "linear_decay", "cosine_decay")  # schedules
Tracker = Literal["tensorboard", "wandb", "trackio"]


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


class ConstantSchedule(Section):
    """`training.schedule` for `name: constant`."""

    name: Literal["constant"] = "constant"


class HalveOnPlateau(Section):
    """`training.schedule` for `name: halve_on_plateau`: the learning rate is halved
    each time the dev metric has not risen for some evaluations."""

    name: Literal["halve_on_plateau"]
    patience: Count = setting(1, "Evaluations without a rise before a halving.")
    minimum: NonNegativeNumber = setting(0.0, "Lowest learning rate.")


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


class CosineDecay(Section):
    """`training.schedule` for `name: cosine_decay`: the learning rate falls along half
    a cosine from that of the first step to 0 after the last one (Loshchilov & Hutter
    2017, arXiv:1608.03983, without restarts)."""

    name: Literal["cosine_decay"]


class TrainingConfig(Section):
    """`training`."""

    batch_size: Rows = setting(64, "Rows per step.")
    epochs: Count = setting(20, "Passes over the training rows.")
    steps: Count | None = setting(
        None, "Steps of the whole training, instead of `epochs`."
    )
    evaluate_every: Count | None = setting(
        None, "Steps between evaluations on dev; `null` for one per epoch."
    )
    evaluate_from: NonNegativeCount = setting(
        0, "The first step after which dev is evaluated."
    )
    optimizer: OptimizerConfig = AdamConfig()
    learning_rate: PositiveNumber = setting(
        1e-3, "Learning rate of the first step, or of the first one after the warm-up."
    )
    warmup_steps: NonNegativeCount = setting(
        0,
        "First steps, in which the learning rate rises in a straight line from 0. The "
        "schedule, `constant`, `linear_decay` or `cosine_decay`, begins after them.",
    )
    clip_norm: PositiveNumber | None = setting(
        None, "Global norm that gradients are scaled down to; `null` for none."
    )
    gradient_accumulation_steps: Count = setting(
        1,
        "Steps whose gradients are averaged for one change of the weights. A step is a "
        "batch all the same: `steps`, `evaluate_every` and the schedule count batches. "
        "What is left over at the end of training changes nothing.",
    )
    use_ema: bool = setting(
        False,
        "An exponential moving average of the weights is measured on dev and kept as "
        "the checkpoint; training continues with the weights themselves.",
    )
    ema_momentum: Share = setting(
        0.99, "What `use_ema` keeps of the average at each step."
    )
    label_smoothing: Share = setting(
        0.0,
        "Share of the target that is spread evenly over all labels in training, for "
        "tasks of one label of several; dev's loss has none.",
    )
    schedule: Annotated[
        ConstantSchedule
        | HalveOnPlateau
        | HalveAndReload
        | DecayAndDivide
        | HalveEvery
        | LinearDecay
        | CosineDecay,
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
    premises_once: bool = setting(
        False,
        "Pairs with the same premise come in one batch, and their premise is encoded "
        "once. For encoders of pairs. Faster where premises have several hypotheses; "
        "these share the premise's dropout.",
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
    devices: Literal["one", "all"] = setting(
        "one", "Devices of this machine; `all` share every batch's rows."
    )
    require_gpu: bool = setting(
        False,
        "Whether a training ends at once where the backend sees no GPU (JAX: or TPU). "
        "It does not change the result.",
    )
    precision: Literal["float32", "mixed_bfloat16"] = setting(
        "float32", "Numbers that the model computes with."
    )
    matmul_precision: Literal["float32", "tf32"] = setting(
        "float32",
        "What a GPU computes float32 products with. `tf32` (TensorFloat-32) "
        "is faster where the GPU has it, and rounds the inputs to 10 bits.",
    )
    track: Annotated[list[Tracker], AfterValidator(_check_repetition)] = setting(
        [],
        "Trackers that get a copy of `history.csv` and of the config: `tensorboard`, "
        "`wandb`, `trackio`. They do not change the result: a run can resume with "
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
        self._check_schedule()
        if self.devices != "one":
            self._check_devices()
        return self

    def _check_schedule(self):
        if self.warmup_steps and self.schedule.name not in BY_STEP:
            raise ValueError(
                f"'warmup_steps' goes with the schedules {', '.join(BY_STEP)}. "
                f"Received: {self.schedule.name}"
            )
        if self.use_ema and self.schedule.name == "halve_and_reload":
            raise ValueError(
                "'use_ema' does not go with 'schedule: halve_and_reload': the best "
                "weights that it returns to are averages"
            )

    def _check_devices(self):
        for name, is_set in (
            ("'gradient_accumulation_steps' above 1", self.accumulates),
            ("'use_ema'", self.use_ema),
            ("'premises_once'", self.premises_once),
        ):
            if is_set:
                raise ValueError(f"{name} is for 'devices: one'")

    @property
    def accumulates(self):
        """Whether the gradients of several steps make one change of the weights."""
        return self.gradient_accumulation_steps > 1

    @property
    def follows_dev(self):
        """Whether the learning rate is a matter of what dev says."""
        return self.schedule.name not in ("halve_every", *BY_STEP)

    def last_step(self, steps_per_epoch):
        """The step that training ends with."""
        return self.steps or self.epochs * steps_per_epoch
