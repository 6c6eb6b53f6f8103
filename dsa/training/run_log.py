"""Writes `environment.json` of a run, and copies its history to trackers."""

import contextlib
import functools
import importlib
import logging
import secrets
import time
from collections.abc import Sequence
from typing import Any

from dsa.backends.description import describe_environment
from dsa.experiment.input_config import EmbeddingConfig
from dsa.models.model_config import ModelConfig
from dsa.runs.run_files import TRACKING
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import RUN_FORMAT
from dsa.system.environment import measure_peak_memory
from dsa.system.network_bounds import call_with_timeout
from dsa.system.terminal import release_buffered_lines
from dsa.training.tracking.tracker import (
    TRACKERS,
    History,
    get_step,
    read_tracking,
)
from dsa.training.training_state import TrainingRecord

TRACKER_TIMEOUT = 120.0  # seconds, for writing a history and for closing a tracker
MEASURED = ("steps", "seconds_per_epoch", "peak_memory_bytes", "stopped")
log = logging.getLogger(__name__)


class RunLog:
    """Writes `environment.json` and copies the history of a run to its trackers.

    `history.csv` is authoritative. A row is sent to the trackers after the training
    state is saved, so a tracker never contains steps that a resumed run repeats. If a
    process is killed before a row is sent, the row is sent together with the next row.
    `tracking.json` contains the identifier of the run in trackers, and the last step
    written by each tracker.

    A tracker that fails or exceeds `TRACKER_TIMEOUT` is disabled with a warning, and
    training continues. The trackers are closed at the end of the context.

    Args:
        run: the run folder.
        settings: the resolved config, as nested dictionaries, for the trackers.
        trackers: names of the trackers, see `training.track`.
        command: command line, for `environment.json`; `None` if there is no command.
        environment: current content of `environment.json`; `None` or empty for a new
            run.

    Raises: `InputError` if `tracking.json` is damaged.
    """

    def __init__(
        self,
        run: RunFolder,
        settings: dict[str, Any],
        trackers: Sequence[str] = (),
        command: str | None = None,
        environment: dict[str, Any] | None = None,
    ) -> None:
        self.run = run
        self.settings = settings
        self.command = command
        self.environment = environment or {}
        self.start_time = time.perf_counter()
        self.active_names = list(trackers)  # names of the trackers that have not failed
        self.open_trackers = {}  # `{name: Tracker}`
        self.run_id = None
        self.written_steps = {}  # last step written by each tracker
        if self.active_names:
            self.run_id, self.written_steps = read_tracking(run)
        self.sent_steps = dict(self.written_steps)  # last step sent to each tracker

    def __enter__(self) -> "RunLog":
        return self

    def __exit__(self, *error: Any) -> None:
        for name, tracker in list(self.open_trackers.items()):
            with self._disable_on_failure(name):
                call_with_timeout(TRACKER_TIMEOUT, tracker.close)
                self._record_written_step(name)

    def begin(self, description: dict[str, Any]) -> None:
        """Writes `environment.json` before the first step.

        If a run is resumed with other code or hardware, the entry `earlier_parts` lists
        the previous environments and their last steps.

        Args:
            description: further entries: seed, data, see `TrainingData.describe`, and
                `parameters`, see `count_parameters`.
        """
        process = describe_environment()
        earlier_parts = list_earlier_parts(self.environment, process)
        wall_seconds = self.environment.get("wall_seconds", 0)
        # of a resumed run, until its next evaluation
        measured = {k: self.environment[k] for k in MEASURED if k in self.environment}
        self.environment = {
            "run_format": RUN_FORMAT,
            "command": self.command,
            **process,
        }
        if earlier_parts:
            self.environment["earlier_parts"] = earlier_parts
        self.environment |= {**description, **measured, "wall_seconds": wall_seconds}
        self.update()

    def update(self, **entries: Any) -> None:
        """Writes `environment.json` with additional entries.

        Buffered log lines are written first, because the run folder now changes.
        """
        release_buffered_lines()
        self.run.write_json("environment.json", {**self.environment, **entries})

    def write(self, history: History, stopped: bool) -> None:
        """Writes steps, durations and peak memory, and updates the trackers.

        Args:
            history: all rows of `history.csv`.
            stopped: whether training ends with this evaluation.
        """
        steps = history[-1]["step"]
        steps_per_epoch = self.environment["steps_per_epoch"]
        training_seconds = sum(row["seconds"] for row in history)
        process_seconds = time.perf_counter() - self.start_time
        wall_seconds = self.environment["wall_seconds"] + process_seconds
        self.update(
            steps=steps,
            seconds_per_epoch=round(training_seconds * steps_per_epoch / steps, 3),
            wall_seconds=round(wall_seconds, 3),
            peak_memory_bytes=measure_peak_memory(),
            stopped=stopped,
        )
        self.track(history)

    def complete(self, record: TrainingRecord) -> None:
        """Completes the log of a finished run.

        Writes the entries of the last evaluation if they are missing, and sends missing
        rows to the trackers.

        Args:
            record: the `TrainingRecord` of the finished run.
        """
        if self.environment.get("steps") == record.step:
            self.track(record.history)
            return
        epochs = record.history[-1]["epoch"]
        self.environment.setdefault("steps_per_epoch", round(record.step / epochs))
        self.run.write_record()
        self.write(record.history, record.stopped)

    def track(self, history: History) -> None:
        """Sends the missing rows of a history to each tracker.

        Args:
            history: all rows of `history.csv`, as dictionaries of numbers and `None`.
        """
        last_step = get_step(history[-1])
        for name in list(self.active_names):
            if self.sent_steps.get(name) == last_step:
                continue
            with self._disable_on_failure(name):
                call_with_timeout(
                    TRACKER_TIMEOUT, functools.partial(self._send, name, history)
                )
                self.sent_steps[name] = last_step
                if self.open_trackers[name].is_synchronous:
                    self._record_written_step(name)

    def _send(self, name, history):
        """Sends a history to a tracker, which is opened if necessary."""
        if name not in self.open_trackers:
            if self.run_id is None:
                self.run_id = secrets.token_hex(4)
                self._write_tracking()  # a resumed run keeps its identifier
            _, module_name, class_name = TRACKERS[name]
            module = importlib.import_module(f"dsa.training.tracking.{module_name}")
            tracker_class = getattr(module, class_name)
            self.open_trackers[name] = tracker_class(
                self.run.path, self.run_id, self.settings
            )
        self.open_trackers[name].write(history)

    def _record_written_step(self, name):
        """Records in `tracking.json` that a tracker has written the rows sent to it."""
        sent_step = self.sent_steps.get(name)
        if sent_step is not None and sent_step != self.written_steps.get(name):
            self.written_steps[name] = sent_step
            self._write_tracking()

    def _write_tracking(self):
        content = {"id": self.run_id, "steps": self.written_steps}
        self.run.write_json(TRACKING, content)

    @contextlib.contextmanager
    def _disable_on_failure(self, name):
        """Context manager that disables a tracker after an exception."""
        try:
            yield
        except Exception as error:
            if name in self.active_names:
                self.active_names.remove(name)
            if isinstance(error, TimeoutError):
                self.open_trackers.pop(name, None)  # closing it would wait once more
            log.warning(
                "%s failed and is disabled: %s. history.csv remains complete",
                name,
                (str(error) or type(error).__name__).split("\n")[0],
            )


def list_earlier_parts(
    previous: dict[str, Any], process: dict[str, Any]
) -> list[dict[str, Any]]:
    """Returns the earlier segments of a resumed run that used other code or hardware.

    Args:
        previous: current content of `environment.json`; empty for a new run.
        process: versions and device of this process, see `describe_environment`.

    Returns: the previous list `earlier_parts`. If the previous process used other code
        or hardware, its entries and its last step, `until_step`, are appended.
    """
    parts = list(previous.get("earlier_parts", []))
    previous_process = {name: previous[name] for name in process if name in previous}
    if any(value != process[name] for name, value in previous_process.items()):
        parts.append({"until_step": previous.get("steps", 0), **previous_process})
    return parts


def log_model(
    model: ModelConfig, embedding: EmbeddingConfig, description: dict[str, Any]
) -> None:
    """Logs the shares of unknown words and the number of parameters of a model.

    A warning is logged if the number of features of the word vectors differs from the
    paper of the model.

    Args:
        model: the `model` section.
        embedding: the `embedding` section.
        description: description of the run, see `RunLog.begin`.
    """
    for split, coverage in description["unknown"].items():
        log.info(
            "%s: %.2f %% of words and %.2f %% of tokens unknown",
            split,
            100 * coverage["unknown_word_share"],
            100 * coverage["unknown_token_share"],
        )
    parameters = f"{description['parameters']['trainable_without_embeddings']:,}"
    log.info(
        "%s: %s trainable parameters without embeddings, vocabulary of %d",
        model.name,
        parameters,
        description["vocabulary_size"],
    )
    published = model.published_units
    if embedding.path and published and embedding.output_units != published:
        log.warning(
            "the word vectors have %d features, but %d in the paper, so the number of "
            "parameters, %s, differs from the paper. 'embedding.projection: %d' keeps "
            "the published number of features",
            embedding.output_units,
            published,
            parameters,
            published,
        )


def log_best_evaluation(history: History, metric: str) -> None:
    """Logs the best dev evaluation.

    Args:
        history: rows of `history.csv`, at least one with a dev evaluation.
        metric: name of the dev metric; higher is better.
    """
    column = f"val_{metric}"
    evaluations = [row for row in history if row[column] is not None]
    best = max(evaluations, key=lambda row: row[column])
    log.info(
        "best dev %s %.4f at step %d of %d",
        metric,
        best[column],
        best["step"],
        history[-1]["step"],
    )
