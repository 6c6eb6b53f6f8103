"""Section `training`: optimizer, batches and evaluations."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from dsa.config_section import (
    MAX_COUNT,
    Count,
    NonNegativeCount,
    PositiveNumber,
    Rows,
    Section,
    Share,
    setting,
)
from dsa.experiment.data_parts import Label
from dsa.experiment.optimizer_config import AdamConfig, OptimizerConfig
from dsa.experiment.schedule_config import (
    STEP_SCHEDULES,
    ConstantSchedule,
    ScheduleConfig,
)
from dsa.tasks.class_weights import BALANCED

Tracker = Literal["tensorboard", "wandb", "trackio"]


def _check_max_tokens(value):
    """Validates a number of tokens or a percentile of the sentence lengths."""
    if isinstance(value, str):
        is_valid = bool(re.fullmatch(r"percentile [1-9][0-9]?(\.[0-9]+)?", value))
    else:
        is_valid = type(value) is int and 1 <= value <= MAX_COUNT
    if not is_valid:
        raise ValueError(
            "expected a number of tokens (at least 1), or a percentile such as "
            "'percentile 97'"
        )
    return value


def _check_repetition(names):
    if len(set(names)) < len(names):
        raise ValueError("expected distinct names")
    return names


def _check_class_weights(value):
    if isinstance(value, str) and value != BALANCED:
        raise ValueError(f"expected '{BALANCED}' or a mapping of labels to weights")
    return value


ClassWeights = Annotated[
    Literal["balanced"] | dict[Label, PositiveNumber] | None,
    BeforeValidator(_check_class_weights),
]


class TrainingConfig(Section):
    """`training`: optimizer, schedule, batches and evaluations."""

    start_from: Annotated[str, Field(min_length=1)] | None = setting(
        None,
        "Run whose best weights are the initial weights of a new training: a run "
        "folder, a release such as `snli`, or `hf://USER/NAME`. The model must have "
        "the same name and sizes. The classifier is initialized if task or labels "
        "differ.",
    )
    frozen: Annotated[
        list[Literal["embedding", "encoder"]], AfterValidator(_check_repetition)
    ] = setting(
        [],
        "Parts that are not trained: `embedding` (word vectors and their projection), "
        "`encoder` (all weights between the word vectors and the classifier).",
    )
    batch_size: Rows = setting(64, "Number of rows per step.")
    epochs: Count = setting(20, "Number of passes over the training rows.")
    steps: Count | None = setting(None, "Total number of steps, instead of `epochs`.")
    evaluate_every: Count | None = setting(
        None,
        "Number of steps between evaluations on dev; `null` for one evaluation per "
        "epoch.",
    )
    evaluate_from: NonNegativeCount = setting(
        0, "First step after which dev is evaluated."
    )
    optimizer: OptimizerConfig = AdamConfig()
    learning_rate: PositiveNumber = setting(
        1e-3, "Learning rate of the first step after the warm-up."
    )
    warmup_steps: NonNegativeCount = setting(
        0,
        "Number of steps of a linear warm-up from 0, followed by the schedule, which "
        "must be `constant`, `linear_decay` or `cosine_decay`.",
    )
    clip_norm: PositiveNumber | None = setting(
        None, "Maximum global norm of the gradients; `null` for no clipping."
    )
    gradient_accumulation_steps: Count = setting(
        1,
        "Number of steps whose gradients are averaged for one update. A step remains "
        "one batch: `steps`, `evaluate_every` and the schedule count batches. "
        "Remaining gradients at the end of training are discarded.",
    )
    use_ema: bool = setting(
        False,
        "Whether to evaluate and save an exponential moving average of the weights. "
        "Training continues with the weights without averaging.",
    )
    ema_momentum: Share = setting(0.99, "Momentum of the moving average.")
    label_smoothing: Share = setting(
        0.0,
        "Share of the target that is distributed uniformly over all labels in "
        "training. For classification; the dev loss is not smoothed.",
    )
    class_weights: ClassWeights = setting(
        None,
        "Weights of the labels in the loss: `balanced` for weights that are inversely "
        'proportional to the number of rows, or a mapping such as `{"yes": 5}`, with '
        "weight 1 for other labels. For classification; the dev loss is not weighted.",
    )
    metric: Literal["macro_f1"] | None = setting(
        None,
        "Dev metric for the selection of weights, schedules and early stopping; `null` "
        "for the metric of the task, such as accuracy. `macro_f1`, the mean F1 of the "
        "labels, is for classification.",
    )
    schedule: ScheduleConfig = ConstantSchedule()
    select: Literal["best", "last"] = setting(
        "best",
        "Evaluation whose weights are saved: the best by the dev metric, or the last.",
    )
    early_stopping: Count | None = setting(
        None,
        "Number of evaluations without improvement of the dev metric after which "
        "training stops; `null` for no early stopping.",
    )
    refit_with_dev: bool = setting(
        False,
        "Whether to train a second model on train and dev, for the number of epochs "
        "chosen by dev, in the subfolder `with_dev/` of the run.",
    )
    by_length: bool = setting(
        True,
        "Whether to batch rows of similar length; `false` for random batches.",
    )
    premises_once: bool = setting(
        False,
        "Whether to batch pairs with the same premise and encode the premise once, "
        "with one dropout mask. For sentence encoders; faster if premises have several "
        "hypotheses.",
    )
    max_tokens: Annotated[int | str, BeforeValidator(_check_max_tokens)] = setting(
        512,
        "Maximum number of tokens of a training sentence. Rows with a longer sentence, "
        "whose attention weights could exhaust the memory, are excluded. `percentile "
        "97`: the length that 97 % of the training sentences do not exceed.",
    )
    shapes: Annotated[int, Field(ge=2)] = setting(
        16, "Maximum number of padded batch shapes, if each shape is compiled (JAX)."
    )
    devices: Literal["one", "all"] = setting(
        "one", "Devices of this machine; `all` divides each batch among them."
    )
    require_gpu: bool = setting(
        False,
        "Whether a missing GPU (or TPU with JAX) is an error. Does not affect the "
        "result.",
    )
    precision: Literal["float32", "mixed_bfloat16"] = setting(
        "float32", "Precision of the computation."
    )
    matmul_precision: Literal["float32", "tf32"] = setting(
        "float32",
        "Precision of float32 matrix products on a GPU. `tf32` (TensorFloat-32) is "
        "faster on GPUs that support it, but rounds the inputs to 10 bits.",
    )
    track: Annotated[list[Tracker], AfterValidator(_check_repetition)] = setting(
        [],
        "Trackers that receive `history.csv` and the config: `tensorboard`, `wandb`, "
        "`trackio`. They do not affect the result and may be changed on resume.",
    )

    @model_validator(mode="after")
    def _check_combinations(self):
        depends_on_dev = self.follows_dev or self.early_stopping is not None
        if self.evaluate_from and depends_on_dev:
            raise ValueError(
                "'training.evaluate_from' must be 0 with 'training.early_stopping' or "
                "a 'training.schedule' that follows dev, which require every "
                f"evaluation. Received: {self.evaluate_from}"
            )
        if self.select == "last" and depends_on_dev:
            raise ValueError(
                "'training.select: last' cannot be combined with "
                "'training.early_stopping' or a 'training.schedule' that follows dev"
            )
        self._check_schedule()
        if self.devices != "one":
            self._check_devices()
        return self

    def _check_schedule(self):
        if self.warmup_steps and self.schedule.name not in STEP_SCHEDULES:
            raise ValueError(
                "'training.warmup_steps' requires a schedule from "
                f"{', '.join(STEP_SCHEDULES)}. "
                f"Received: 'training.schedule: {self.schedule.name}'"
            )
        if self.use_ema and self.schedule.name == "halve_and_reload":
            raise ValueError(
                "'training.use_ema' cannot be combined with "
                "'training.schedule: halve_and_reload', which would restore averaged "
                "weights"
            )

    def _check_devices(self):
        for name, is_set in (
            ("'training.gradient_accumulation_steps' above 1", self.accumulates),
            ("'training.use_ema'", self.use_ema),
            ("'training.premises_once'", self.premises_once),
        ):
            if is_set:
                raise ValueError(f"{name} requires 'training.devices: one'")

    @property
    def accumulates(self) -> bool:
        """Whether gradients are accumulated over several steps."""
        return self.gradient_accumulation_steps > 1

    @property
    def follows_dev(self) -> bool:
        """Whether the schedule depends on the dev metric."""
        return self.schedule.name not in ("halve_every", *STEP_SCHEDULES)

    def last_step(self, steps_per_epoch: int) -> int:
        """Returns the number of the last training step, counted from 1."""
        return self.steps or self.epochs * steps_per_epoch
