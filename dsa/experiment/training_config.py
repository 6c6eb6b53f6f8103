"""Schema of `training`: schedule, batches, evaluations."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from dsa.config_section import (
    MAX_COUNT,
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
from dsa.experiment.data_parts import Label
from dsa.experiment.optimizer_config import AdamConfig, OptimizerConfig
from dsa.tasks.class_weights import BALANCED

BY_STEP = ("constant", "linear_decay", "cosine_decay")  # schedules
Tracker = Literal["tensorboard", "wandb", "trackio"]


def _check_longest(value):
    """Validates a number of tokens or a percentile of the sentence lengths."""
    if isinstance(value, str):
        known = re.fullmatch(r"percentile [1-9][0-9]?(\.[0-9]+)?", value)
    else:
        known = type(value) is int and 1 <= value <= MAX_COUNT
    if not known:
        raise ValueError("must be a number of tokens, at least 1, or 'percentile 97'")
    return value


def _check_repetition(names):
    if len(set(names)) < len(names):
        raise ValueError("must contain each name once")
    return names


def _check_class_weights(value):
    if isinstance(value, str) and value != BALANCED:
        raise ValueError(f"must be '{BALANCED}' or a mapping of labels to weights")
    return value


ClassWeights = Annotated[
    Literal["balanced"] | dict[Label, PositiveNumber] | None,
    BeforeValidator(_check_class_weights),
]


class ConstantSchedule(Section):
    """`training.schedule` for `name: constant`."""

    name: Literal["constant"] = "constant"


class HalveOnPlateau(Section):
    """`training.schedule` for `name: halve_on_plateau`: halves the learning rate when
    the dev metric has not improved for `patience` evaluations."""

    name: Literal["halve_on_plateau"]
    patience: Count = setting(1, "Evaluations without improvement before a halving.")
    minimum: NonNegativeNumber = setting(0.0, "Lowest learning rate.")


class HalveAndReload(Section):
    """`training.schedule` for `name: halve_and_reload`: after each evaluation without
    improvement, halves the learning rate and restores the best weights (Chen et al.
    2017, released code)."""

    name: Literal["halve_and_reload"]
    halvings: Count = setting(7, "Number of halvings after which training stops.")


class DecayAndDivide(Section):
    """`training.schedule` for `name: decay_and_divide`: multiplies the learning rate by
    `decay` after each evaluation, and also divides it by `divisor` if the dev metric
    has not improved; stops when a division yields a rate below `minimum` (Conneau et
    al. 2017, released code)."""

    name: Literal["decay_and_divide"]
    decay: Annotated[Number, Field(gt=0, le=1)] = setting(
        0.99, "Factor after each evaluation; 1 for none."
    )
    divisor: Annotated[Number, Field(gt=1)] = setting(
        5.0, "Divisor after evaluations without improvement."
    )
    patience: Count = setting(1, "Evaluations without improvement before a division.")
    minimum: NonNegativeNumber = setting(
        1e-5, "Training stops when a division yields a learning rate below this."
    )


class HalveEvery(Section):
    """`training.schedule` for `name: halve_every`: halves the learning rate every few
    epochs (Nie & Bansal 2017, released code), at the first evaluation after them."""

    name: Literal["halve_every"]
    epochs: Count = setting(2, "Passes over the training rows between two halvings.")


class LinearDecay(Section):
    """`training.schedule` for `name: linear_decay`: decreases the learning rate
    linearly from the first step to 0 after the last step."""

    name: Literal["linear_decay"]


class CosineDecay(Section):
    """`training.schedule` for `name: cosine_decay`: decreases the learning rate along
    half a cosine from the first step to 0 after the last step (Loshchilov & Hutter
    2017, arXiv:1608.03983, without restarts)."""

    name: Literal["cosine_decay"]


class TrainingConfig(Section):
    """`training`."""

    start_from: Annotated[str, Field(min_length=1)] | None = setting(
        None,
        "A finished run whose weights a new training starts from: a run folder, a "
        "release such as `snli`, or `hf://USER/NAME`. The model must have the same "
        "name and sizes; for another task or other labels, the classifier is new.",
    )
    frozen: Annotated[
        list[Literal["embedding", "encoder"]], AfterValidator(_check_repetition)
    ] = setting(
        [],
        "Parts that are not trained: `embedding` (word vectors and their projection), "
        "`encoder` (all weights between the word vectors and the classifier).",
    )
    batch_size: Rows = setting(64, "Rows per step.")
    epochs: Count = setting(20, "Passes over the training rows.")
    steps: Count | None = setting(None, "Total number of steps, instead of `epochs`.")
    evaluate_every: Count | None = setting(
        None, "Steps between evaluations on dev; `null` for one per epoch."
    )
    evaluate_from: NonNegativeCount = setting(
        0, "The first step after which dev is evaluated."
    )
    optimizer: OptimizerConfig = AdamConfig()
    learning_rate: PositiveNumber = setting(
        1e-3, "Learning rate of the first step after the warm-up."
    )
    warmup_steps: NonNegativeCount = setting(
        0,
        "Steps of a linear warm-up from 0, followed by the schedule, which must be "
        "`constant`, `linear_decay` or `cosine_decay`.",
    )
    clip_norm: PositiveNumber | None = setting(
        None, "Maximum global norm of the gradients; `null` for none."
    )
    gradient_accumulation_steps: Count = setting(
        1,
        "Steps whose gradients are averaged for one update. A step remains one batch: "
        "`steps`, `evaluate_every` and the schedule count batches. Gradients left over "
        "at the end of training are discarded.",
    )
    use_ema: bool = setting(
        False,
        "Evaluates and saves an exponential moving average of the weights; training "
        "continues with the weights themselves.",
    )
    ema_momentum: Share = setting(0.99, "Momentum of the moving average.")
    label_smoothing: Share = setting(
        0.0,
        "Share of the target that is spread uniformly over all labels in training, for "
        " classification; the dev loss is not smoothed.",
    )
    class_weights: ClassWeights = setting(
        None,
        "Weights of the labels in the loss: `balanced` for weights that are inversely "
        'proportional to the number of rows, or a mapping such as `{"yes": 5}`, with '
        "weight 1 for other labels. For classification; the dev loss is not weighted.",
    )
    metric: Literal["macro_f1"] | None = setting(
        None,
        "Dev metric that selects the weights, and that schedules and early stopping "
        "follow; `null` for the metric of the task, such as accuracy. `macro_f1`, the "
        "mean F1 of the labels, is for classification.",
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
        "Evaluation whose weights are kept: the best by the dev metric, or the last.",
    )
    early_stopping: Count | None = setting(
        None,
        "Evaluations without improvement of the dev metric before training stops; "
        "`null` for never.",
    )
    refit_with_dev: bool = setting(
        False,
        "Trains again, on train and dev, for as many epochs as dev chose, into "
        "`with_dev/` below the run folder.",
    )
    by_length: bool = setting(
        True,
        "Whether the rows of a batch have similar lengths; `false` for random batches.",
    )
    premises_once: bool = setting(
        False,
        "Puts pairs with the same premise into one batch and encodes the premise once, "
        "with one dropout mask. For sentence encoders; faster if premises have several "
        "hypotheses.",
    )
    max_tokens: Annotated[int | str, BeforeValidator(_check_longest)] = setting(
        512,
        "Rows with a longer sentence are excluded from training: their attention "
        "weights could fill the memory. `percentile 97`: longer than 97 % of the "
        "sentences of train.",
    )
    shapes: Annotated[int, Field(ge=2)] = setting(
        16, "Maximum number of padded batch shapes if each shape is compiled (JAX)."
    )
    devices: Literal["one", "all"] = setting(
        "one", "Devices of this machine; `all` divides each batch among them."
    )
    require_gpu: bool = setting(
        False,
        "Whether a missing GPU (JAX: or TPU) is an error. Does not change the result.",
    )
    precision: Literal["float32", "mixed_bfloat16"] = setting(
        "float32", "Precision of the computation."
    )
    matmul_precision: Literal["float32", "tf32"] = setting(
        "float32",
        "Precision of float32 matrix products on a GPU. `tf32` (TensorFloat-32) is "
        "faster on GPUs that support it, and rounds the inputs to 10 bits.",
    )
    track: Annotated[list[Tracker], AfterValidator(_check_repetition)] = setting(
        [],
        "Trackers that receive `history.csv` and the config: `tensorboard`, `wandb`, "
        "`trackio`. They do not change the result and can differ on resume.",
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
        """Whether gradients are accumulated over several steps."""
        return self.gradient_accumulation_steps > 1

    @property
    def follows_dev(self):
        """Whether the schedule depends on the dev metric."""
        return self.schedule.name not in ("halve_every", *BY_STEP)

    def last_step(self, steps_per_epoch):
        """Returns the last step of training."""
        return self.steps or self.epochs * steps_per_epoch
