"""A hint about overfitting to a small corpus."""

from typing import Any

from dsa.training.callbacks import DevEvaluation, StepCallback, log
from dsa.training.checkpoint import Checkpoint

SMALL = 20_000  # training rows
ERRORS = 2  # standard errors of the dev metric


def fell_first(history: list[dict[str, Any]], metric: str, epoch: int, fall: float):
    """Returns whether the dev metric has fallen, for the first time, at the last
    evaluation, while the best value is that of the first epoch.

    Args:
        history: the rows of `history.csv` so far.
        metric: name of the dev metric.
        epoch: number of steps per epoch.
        fall: the smallest fall.
    """
    values = [
        (row["step"], row[f"val_{metric}"])
        for row in history
        if row[f"val_{metric}"] is not None
    ]
    first = max((value for step, value in values if step <= epoch), default=None)
    if first is None or first < max(value for _, value in values):
        return False
    fallen = [step > epoch and value < first - fall for step, value in values]
    return fallen[-1] and fallen.count(True) == 1


class OverfittingHint(StepCallback):
    """Logs a hint, once per training, if the dev metric falls after the first epoch.

    The fall must exceed `ERRORS` standard errors, and the corpus must have fewer than
    `SMALL` rows. It follows the `Checkpoint`, whose history it reads. Without a
    standard error of the metric, there is no hint.

    Args:
        checkpoint: the `Checkpoint` of the training.
        dev: the `DevEvaluation` of the training.
        rows: number of training rows.
    """

    def __init__(self, checkpoint: Checkpoint, dev: DevEvaluation, rows: int) -> None:
        super().__init__(checkpoint.steps)
        self.checkpoint = checkpoint
        self.dev = dev
        self.rows = rows

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        history, error = self.checkpoint.history, self.dev.standard_error
        if error is None or self.rows >= SMALL:
            return
        metric, steps = self.dev.metric, self.checkpoint.steps_per_epoch
        if fell_first(history, metric, steps, ERRORS * error):
            log.info(
                "hint: dev %s has fallen since the first epoch, by more than %d "
                "standard errors: the model may be learning the %s training rows by "
                "heart. Fewer epochs, more dropout or a smaller model can help",
                metric,
                ERRORS,
                f"{self.rows:,}",
            )
