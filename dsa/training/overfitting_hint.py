"""Keras callback that logs a hint about overfitting on a small corpus."""

import logging
from typing import Any

from dsa.training.callbacks import DevEvaluation, StepCallback
from dsa.training.steps import Steps

SMALL_CORPUS = 20_000  # training rows below which overfitting is likely
MIN_DROP = 2  # in standard errors of the dev metric
log = logging.getLogger(__name__)


class OverfittingHint(StepCallback):
    """Logs a hint, once per run, if the dev metric drops after the first epoch.

    The drop must exceed `MIN_DROP` standard errors, and the corpus must have fewer than
    `SMALL_CORPUS` rows. No hint is logged for a metric without standard error. Keras
    must call this callback after the `Checkpoint`, which appends the last evaluation
    to the history.

    Args:
        steps: the `Steps` of the run.
        steps_per_epoch: number of steps in one pass over the training rows.
        dev_evaluation: the `DevEvaluation` of the run.
        history: rows of `history.csv`, the list of the `Checkpoint`.
        num_rows: number of training rows.
    """

    def __init__(
        self,
        steps: Steps,
        steps_per_epoch: int,
        dev_evaluation: DevEvaluation,
        history: list[dict[str, Any]],
        num_rows: int,
    ) -> None:
        super().__init__(steps)
        self.steps_per_epoch = steps_per_epoch
        self.dev_evaluation = dev_evaluation
        self.history = history
        self.num_rows = num_rows

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        metric = self.dev_evaluation.metric
        standard_error = self.dev_evaluation.standard_error
        if standard_error is None or self.num_rows >= SMALL_CORPUS:
            return
        min_drop = MIN_DROP * standard_error
        if is_first_drop(self.history, metric, self.steps_per_epoch, min_drop):
            log.info(
                "hint: dev %s has fallen since the first epoch, by more than %d "
                "standard errors: the model may be learning the %s training rows by "
                "heart. Try fewer epochs, more dropout or a smaller model",
                metric,
                MIN_DROP,
                f"{self.num_rows:,}",
            )


def is_first_drop(
    history: list[dict[str, Any]], metric: str, steps_per_epoch: int, min_drop: float
) -> bool:
    """Returns whether the dev metric drops for the first time at the last evaluation.

    An evaluation after the first epoch is a drop if its value is lower than the best
    value by more than `min_drop`. There is no drop if the metric has improved since the
    first epoch.

    Args:
        history: rows of `history.csv` so far.
        metric: name of the dev metric; higher is better.
        steps_per_epoch: number of steps in one pass over the training rows.
        min_drop: minimum difference from the best value.
    """
    values = []
    first_epoch_values = []
    for row in history:
        value = row[f"val_{metric}"]
        if value is None:
            continue
        values.append((row["step"], value))
        if row["step"] <= steps_per_epoch:
            first_epoch_values.append(value)
    if not first_epoch_values:
        return False
    best = max(value for _, value in values)
    if max(first_epoch_values) < best:
        return False
    drops = [
        step > steps_per_epoch and value < best - min_drop for step, value in values
    ]
    return drops[-1] and drops.count(True) == 1
