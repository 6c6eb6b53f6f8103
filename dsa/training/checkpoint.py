"""Best weights, history and state, written at each evaluation."""

import math
from collections.abc import Callable
from typing import Any

import keras

from dsa.backends.averages import averaged_weights
from dsa.backends.weight_files import save_weights
from dsa.runs.run_folder import RunFolder
from dsa.training.callbacks import TIMES, StepCallback, log, training_metric_names
from dsa.training.steps import Steps
from dsa.training.training_state import Record, save_state


def dev_values(history: list[dict[str, Any]], metric: str) -> list[float]:
    """The dev metric of a history's rows, of those that were evaluated."""
    values = (row[f"val_{metric}"] for row in history)
    return [value for value in values if value is not None]


class Checkpoint(StepCallback):
    """Writes best weights, history and, last, the state that `--resume` resumes at.

    It comes after all callbacks that decide something, so that it sees what they
    decided. A run that is killed before the state is written repeats the interval and
    writes the same again.

    Args:
        metric: the metric that selects, higher is better.
        steps_per_epoch: steps in one pass over the training data.
        others: callbacks whose counters belong to the state.
        record: the `Record` of the state that is resumed, or `None`.
        keeps_last: whether every evaluation's weights are kept, not only the best.
        report: a function that gets the history after each evaluation, and whether
            training ends with it.
    """

    COUNTERS = "wait best best_epoch stopped_epoch cooldown_counter halvings".split()

    def __init__(  # noqa: PLR0913 (all of a state)
        self,
        steps: Steps,
        run: RunFolder,
        metric: str,
        steps_per_epoch: int,
        others: list[keras.callbacks.Callback],
        record: Record | None = None,
        keeps_last: bool = False,
        report: Callable[[list[dict[str, Any]], bool], None] | None = None,
    ) -> None:
        super().__init__(steps)
        self.run = run
        self.metric = metric
        self.steps_per_epoch = steps_per_epoch
        self.others = others
        self.record = record
        self.keeps_last = keeps_last
        self.report = report
        self.history = list(record.history) if record else []

    def on_train_begin(self, logs: Any = None) -> None:
        if self.record:  # the others have just reset themselves
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
        # not what callbacks of the user have added
        known = {*self.model.get_metrics_result(), *TIMES, "val_loss", key}
        logs = {name: value for name, value in logs.items() if name in known}
        best = max(dev_values(self.history, self.metric), default=-math.inf)
        row = {
            "evaluation": epoch + 1,
            "step": self.step,
            "epoch": round(self.step / self.steps_per_epoch, 4),
            **dict.fromkeys((*training_metric_names(logs), "val_loss", key)),
            **{name: round(float(value), 6) for name, value in logs.items()},
            "learning_rate": self.learning_rate,
        }
        self.history.append(row)
        is_best = row[key] is not None and row[key] > best
        if row[key] is not None and (is_best or self.keeps_last):
            name = self.run.weights.name
            with averaged_weights(self.model), self.run.replace(name) as path:
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
        if self.report:
            self.report(self.history, record.stopped)

    def _log(self, row, trained, key, is_best):
        dev = "no evaluation yet"
        if row[key] is not None:
            dev = f"dev loss {row['val_loss']:.4f}, dev {self.metric} {row[key]:.4f}"
        log.info(
            "step %d, epoch %.2f: %s, %s%s",
            self.step,
            row["epoch"],
            ", ".join(f"{name} {row[name]:.4f}" for name in trained),
            dev,
            " (best)" if is_best else "",
        )

    def _counters(self, callback):
        known = vars(callback)
        return {name: known[name] for name in self.COUNTERS if name in known}
