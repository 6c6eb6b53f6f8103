"""A hint for a model that seems to learn a small corpus by heart."""

from typing import Any

from dsa.training.callbacks import DevEvaluation, StepCallback, log
from dsa.training.checkpoint import Checkpoint

SMALL = 20_000  # training rows
ERRORS = 2  # standard errors of dev's metric: less is noise of a few rows


def fell_first(history: list[dict[str, Any]], metric: str, epoch: int, fall: float):
    """Returns whether the last evaluation is the first one on which dev has fallen
    since the first epoch, whose best value is still the best.

    Args:
        history: the rows of the evaluations so far.
        metric: of dev.
        epoch: its steps.
        fall: what the metric must have lost.
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
    """Logs a hint, once in a training, where dev falls after the first epoch of fewer
    than `SMALL` rows by more than `ERRORS` of its standard errors.

    It comes after the `Checkpoint`, whose history it reads. Where a metric has no
    standard error there is no hint.

    Args:
        checkpoint: of the training.
        dev: its evaluation on dev.
        rows: of training.
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
