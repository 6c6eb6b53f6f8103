"""Keras callback that saves weights, history and training state."""

import math
from collections.abc import Sequence
from typing import Any

import keras

from dsa.backends.averages import averaged_weights
from dsa.backends.weight_files import save_weights
from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from dsa.training.callbacks import TIMES, StepCallback, log, training_metric_names
from dsa.training.run_log import RunLog
from dsa.training.steps import Steps
from dsa.training.training_state import Record, save_state


class Checkpoint(StepCallback):
    """Saves the best weights, the history and the training state at each evaluation.

    It follows the callbacks that change the learning rate or stop training, so that the
    state contains their decisions. The state is saved last: a run that is killed before
    this repeats the interval with the same result.

    Args:
        steps: the `Steps` of the training.
        run: the run folder.
        metric: name of the dev metric that selects the weights; higher is better.
        steps_per_epoch: number of steps in one pass over the training rows.
        others: callbacks whose counters are part of the state.
        record: the `Record` of a resumed training; `None` for a new training.
        keeps_last: whether to save the weights at each evaluation, instead of only at
            the best one.
        run_log: the `RunLog` to update after each evaluation, or `None`.
        reported: names of further dev metrics in the history.

    Raises: `InputError` for a record with other callbacks.
    """

    COUNTERS = "wait best best_epoch stopped_epoch cooldown_counter halvings".split()

    def __init__(  # noqa: PLR0913 (keyword arguments)
        self,
        steps: Steps,
        run: RunFolder,
        metric: str,
        steps_per_epoch: int,
        others: list[keras.callbacks.Callback],
        record: Record | None = None,
        keeps_last: bool = False,
        run_log: RunLog | None = None,
        reported: Sequence[str] = (),
    ) -> None:
        super().__init__(steps)
        self.run = run
        self.metric = metric
        self.steps_per_epoch = steps_per_epoch
        self.others = others
        self.record = record
        self.keeps_last = keeps_last
        self.run_log = run_log
        self.reported = [f"val_{name}" for name in reported]
        self.history = list(record.history) if record else []
        if record and len(record.callbacks) != len(others):
            raise InputError(
                f"{run.state}: damaged training state: expected "
                f"{len(others)} callbacks. Received: {len(record.callbacks)}"
            )

    def on_train_begin(self, logs: Any = None) -> None:
        if self.record:  # after the callbacks have reset their counters
            for callback, counters in zip(
                self.others, self.record.callbacks, strict=True
            ):
                vars(callback).update(counters)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        super().on_epoch_begin(epoch)
        rate: Any = keras.ops.convert_to_numpy(self.model.optimizer.learning_rate)
        self.learning_rate = float(rate)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        key = f"val_{self.metric}"
        # excludes the entries of user-defined callbacks
        known = {
            *self.model.get_metrics_result(),
            *TIMES,
            "val_loss",
            key,
            *self.reported,
        }
        logs = {name: value for name, value in logs.items() if name in known}
        evaluated = [row[key] for row in self.history if row[key] is not None]
        best = max(evaluated, default=-math.inf)
        row = {
            "evaluation": epoch + 1,
            "step": self.step,
            "epoch": round(self.step / self.steps_per_epoch, 4),
            **dict.fromkeys((*training_metric_names(logs), "val_loss")),
            **dict.fromkeys((*self.reported, key)),
            **{name: round(float(value), 6) for name, value in logs.items()},
            "learning_rate": self.learning_rate,
        }
        self.history.append(row)
        is_best = row[key] is not None and row[key] > best
        if row[key] is not None and (is_best or self.keeps_last):
            name = self.run.weights.name
            with averaged_weights(self.model), self.run.replace_file(name) as path:
                save_weights(path, self.model)
        self.run.write_history(self.history)
        record = Record(
            evaluations=epoch + 1,
            step=self.step,
            stopped=bool(self.model.stop_training),
            history=self.history,
            callbacks=[self._counters(callback) for callback in self.others],
        )
        save_state(self.run.state, self.model, record)
        self._log(row, training_metric_names(logs), key, is_best)
        if record.stopped or self.step >= self.steps.last:
            self.run.write_record()
        if self.run_log:
            self.run_log.write(self.history, record.stopped)

    def _log(self, row, metric_names, key, is_best):
        dev = "no evaluation yet"
        if row[key] is not None:
            dev = f"dev loss {row['val_loss']:.4f}, dev {self.metric} {row[key]:.4f}"
        log.info(
            "step %d, epoch %.2f: %s, %s%s",
            self.step,
            row["epoch"],
            ", ".join(f"{name} {row[name]:.4f}" for name in metric_names),
            dev,
            " (best)" if is_best else "",
        )

    def _counters(self, callback):
        attributes = vars(callback)
        return {name: attributes[name] for name in self.COUNTERS if name in attributes}
