"""Keras callback that saves weights, history and training state."""

import logging
import math
from collections.abc import Sequence
from typing import Any

import keras

from dsa.backends.averages import averaged_weights
from dsa.backends.weight_files import save_weights
from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from dsa.training.callbacks import (
    DIGITS,
    DURATIONS,
    StepCallback,
    list_training_metrics,
)
from dsa.training.run_log import RunLog
from dsa.training.steps import Steps
from dsa.training.training_state import TrainingRecord, save_state

log = logging.getLogger(__name__)


class Checkpoint(StepCallback):
    """Saves the best weights, the history and the training state at each evaluation.

    Keras must call this callback after the callbacks that change the learning rate or
    stop training, so that the state contains their decisions. The state is saved after
    the weights and the history. If a run is killed before the state is saved, a resumed
    run repeats the interval with the same result.

    Args:
        steps: the `Steps` of the run.
        run: the run folder.
        metric: name of the dev metric that selects the weights; higher is better.
        steps_per_epoch: number of steps in one pass over the training rows.
        schedule_callbacks: callbacks whose counters are part of the state, see
            `make_schedule_callbacks`.
        record: the `TrainingRecord` of a resumed run; `None` for a new run.
        keeps_last: whether to save the weights at each evaluation, instead of only
            after an improvement.
        run_log: the `RunLog` to update after each evaluation; `None` to write no log.
        other_metrics: names of further dev metrics in the history.

    Raises: `InputError` if the number of callbacks in the record differs.
    """

    COUNTERS = (  # attributes of the schedule callbacks
        "wait",
        "best",
        "best_epoch",
        "stopped_epoch",
        "cooldown_counter",
        "halvings",
    )

    def __init__(  # noqa: PLR0913 (keyword arguments)
        self,
        steps: Steps,
        run: RunFolder,
        metric: str,
        steps_per_epoch: int,
        schedule_callbacks: list[keras.callbacks.Callback],
        record: TrainingRecord | None = None,
        keeps_last: bool = False,
        run_log: RunLog | None = None,
        other_metrics: Sequence[str] = (),
    ) -> None:
        super().__init__(steps)
        self.run = run
        self.metric = metric
        self.steps_per_epoch = steps_per_epoch
        self.schedule_callbacks = schedule_callbacks
        self.record = record
        self.keeps_last = keeps_last
        self.run_log = run_log
        self.other_columns = [f"val_{name}" for name in other_metrics]
        self.history = list(record.history) if record else []
        if record and len(record.callbacks) != len(schedule_callbacks):
            raise InputError(
                f"{run.state}: damaged training state: expected "
                f"{len(schedule_callbacks)} callbacks. "
                f"Received: {len(record.callbacks)}"
            )

    def on_train_begin(self, logs: Any = None) -> None:
        if self.record:  # after the callbacks have reset their counters
            for callback, counters in zip(
                self.schedule_callbacks, self.record.callbacks, strict=True
            ):
                for name, value in counters.items():
                    setattr(callback, name, value)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        super().on_epoch_begin(epoch)
        rate: Any = keras.ops.convert_to_numpy(self.model.optimizer.learning_rate)
        self.learning_rate = float(rate)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        dev_column = f"val_{self.metric}"
        columns = {
            *self.model.get_metrics_result(),
            *DURATIONS,
            "val_loss",
            dev_column,
            *self.other_columns,
        }
        # entries of user-defined callbacks are not part of the history
        logs = {name: value for name, value in logs.items() if name in columns}
        training_metrics = list_training_metrics(logs)
        previous_values = [
            row[dev_column] for row in self.history if row[dev_column] is not None
        ]
        best_value = max(previous_values, default=-math.inf)
        row: dict[str, Any] = {
            "evaluation": epoch + 1,
            "step": self.step,
            "epoch": round(self.step / self.steps_per_epoch, 4),
        }
        # `None` without a dev evaluation, in a fixed column order
        for name in (*training_metrics, "val_loss", *self.other_columns, dev_column):
            row[name] = None
        for name, value in logs.items():
            row[name] = round(float(value), DIGITS)
        row["learning_rate"] = self.learning_rate
        self.history.append(row)
        dev_value = row[dev_column]
        is_best = dev_value is not None and dev_value > best_value
        if is_best or (dev_value is not None and self.keeps_last):
            name = self.run.weights.name
            with averaged_weights(self.model), self.run.replace_file(name) as path:
                save_weights(path, self.model)
        self.run.write_history(self.history)
        record = TrainingRecord(
            evaluations=epoch + 1,
            step=self.step,
            stopped=bool(self.model.stop_training),
            history=self.history,
            callbacks=[
                self._get_counters(callback) for callback in self.schedule_callbacks
            ],
        )
        save_state(self.run.state, self.model, record)
        self._log_row(row, training_metrics, dev_column, is_best)
        if record.stopped or self.step >= self.steps.last:
            self.run.write_record()
        if self.run_log:
            self.run_log.write(self.history, record.stopped)

    def _log_row(self, row, training_metrics, dev_column, is_best):
        """Logs the metrics of an evaluation."""
        dev_metrics = "no evaluation yet"
        if row[dev_column] is not None:
            dev_metrics = (
                f"dev loss {row['val_loss']:.4f}, "
                f"dev {self.metric} {row[dev_column]:.4f}"
            )
        if is_best:
            dev_metrics += " (best)"
        log.info(
            "step %d, epoch %.2f: %s, %s",
            self.step,
            row["epoch"],
            ", ".join(f"{name} {row[name]:.4f}" for name in training_metrics),
            dev_metrics,
        )

    def _get_counters(self, callback):
        """Returns the counters of a schedule callback by name."""
        attributes = vars(callback)
        return {name: attributes[name] for name in self.COUNTERS if name in attributes}
