"""Log of a training: `environment.json`, and a copy of the history in trackers."""

import contextlib
import functools
import importlib
import logging
import secrets
import time
from collections.abc import Sequence
from typing import Any

from dsa.backends.description import describe
from dsa.experiment.input_config import EmbeddingConfig
from dsa.models.model_config import ModelConfig
from dsa.runs.run_files import TRACKING
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import FORMAT
from dsa.system.environment import peak_memory
from dsa.system.network_bounds import call_within
from dsa.system.terminal import release_buffered_lines
from dsa.training.tracking.tracker import (
    TRACKERS,
    History,
    read_tracking,
    step_number,
)
from dsa.training.training_state import Record

MAX_SECONDS = 120.0  # time limit of a tracker for writing and for closing
log = logging.getLogger(__name__)


class RunLog:
    """Writes `environment.json` and copies the history of a run to its trackers.

    `history.csv` is authoritative. A tracker receives each row after the training state
    is saved, so that it is never ahead of a resumed run. If a process is killed before
    a row is sent, the row is sent with the next one. `tracking.json` contains the
    identifier of the run in trackers, and the last step written by each tracker.

    A tracker that fails or exceeds `MAX_SECONDS` is disabled with a warning, and the
    training continues. The trackers are closed at the end of the context.

    Args:
        run: the run folder.
        settings: the resolved config, as nested dictionaries, for the trackers.
        trackers: names of the trackers, see `training.track`.
        command: command line of this training, for `environment.json`.
        environment: current content of `environment.json`; empty for a new training.

    Raises: `InputError` for a damaged `tracking.json`.
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
        self.started = time.perf_counter()
        self.trackers = {}  # open trackers by name
        self.names = list(trackers)  # without failed trackers
        self.run_id, self.written = None, {}  # last step written by each tracker
        if self.names:
            self.run_id, self.written = read_tracking(run)
        self.sent = dict(self.written)  # last step sent to each tracker

    def __enter__(self) -> "RunLog":
        return self

    def __exit__(self, *error: Any) -> None:
        for name, tracker in list(self.trackers.items()):
            with self._tolerating_failure(name):
                call_within(MAX_SECONDS, tracker.close)
                self._record_written(name)

    def begin(self, description: dict[str, Any]) -> None:
        """Writes `environment.json` before the first step.

        For a run that is resumed with other code or hardware, `earlier_parts` lists the
        previous environments and their last steps.

        Args:
            description: seed, `TrainingData.describe()`, and `parameters`, the number
                of parameters of the model.
        """
        process = describe()
        earlier_parts = list_earlier_parts(self.environment, process)
        wall_seconds = self.environment.get("wall_seconds", 0)
        self.environment = {
            "run_format": FORMAT,
            "command": self.command,
            **process,
        }
        if earlier_parts:
            self.environment["earlier_parts"] = earlier_parts
        self.environment |= {**description, "wall_seconds": wall_seconds}
        self.update()

    def update(self, **entries: Any) -> None:
        """Writes `environment.json` with further entries.

        The buffered log lines are released, since the run folder now changes.
        """
        release_buffered_lines()
        self.run.write_json("environment.json", {**self.environment, **entries})

    def write(self, history: History, stopped: bool) -> None:
        """Writes steps, seconds and memory of a training, and updates the trackers.

        Args:
            history: all rows of `history.csv`.
            stopped: whether training ends with this evaluation.
        """
        steps = history[-1]["step"]
        steps_per_epoch = self.environment["steps_per_epoch"]
        seconds = sum(row["seconds"] for row in history)
        elapsed = time.perf_counter() - self.started
        self.update(
            steps=steps,
            seconds_per_epoch=round(seconds * steps_per_epoch / steps, 3),
            wall_seconds=round(self.environment["wall_seconds"] + elapsed, 3),
            peak_memory_bytes=peak_memory(),
            stopped=stopped,
        )
        self.track(history)

    def complete(self, record: Record) -> None:
        """Writes the entry of the last evaluation if it is missing, and sends missing
        rows to the trackers.

        Args:
            record: the `Record` of a finished training.
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
        last = step_number(history[-1])
        for name in list(self.names):
            if self.sent.get(name) == last:
                continue
            with self._tolerating_failure(name):
                call_within(MAX_SECONDS, functools.partial(self._send, name, history))
                self.sent[name] = last
                if self.trackers[name].writes_at_once:
                    self._record_written(name)

    def _send(self, name, history):
        if name not in self.trackers:
            if self.run_id is None:
                self.run_id = secrets.token_hex(4)
                self._write_tracking()  # a killed run keeps its identifier
            _, module, class_name = TRACKERS[name]
            module = importlib.import_module(f"dsa.training.tracking.{module}")
            tracker = getattr(module, class_name)
            self.trackers[name] = tracker(self.run.path, self.run_id, self.settings)
        self.trackers[name].write(history)

    def _record_written(self, name):
        """Records that a tracker has written all rows sent to it."""
        if name in self.sent and self.written.get(name) != self.sent[name]:
            self.written[name] = self.sent[name]
            self._write_tracking()

    def _write_tracking(self):
        self.run.write_json(TRACKING, {"id": self.run_id, "steps": self.written})

    @contextlib.contextmanager
    def _tolerating_failure(self, name):
        """Context that disables a tracker after an exception."""
        try:
            yield
        except Exception as error:
            if name in self.names:
                self.names.remove(name)
            if isinstance(error, TimeoutError):
                self.trackers.pop(name, None)  # closing it would wait once more
            log.warning(
                "%s failed and is disabled, history.csv is complete: %s",
                name,
                (str(error) or type(error).__name__).split("\n")[0],
            )


def list_earlier_parts(
    previous: dict[str, Any], process: dict[str, Any]
) -> list[dict[str, Any]]:
    """Returns the earlier segments of a resumed run that used other code or hardware.

    Args:
        previous: current content of `environment.json`; empty for a new training.
        process: versions and device of this process, see `describe`.
    """
    parts = list(previous.get("earlier_parts", []))
    part = {name: previous[name] for name in process if name in previous}
    if any(value != process[name] for name, value in part.items()):
        parts.append({"until_step": previous.get("steps", 0), **part})
    return parts


def log_model(
    model: ModelConfig, embedding: EmbeddingConfig, environment: dict[str, Any]
) -> None:
    """Logs the share of unknown words and the size of the model.

    Logs a warning if the size of the word vectors differs from the paper of the model.

    Args:
        model: the `model` section.
        embedding: the `embedding` section.
        environment: content of `environment.json`.
    """
    for split, unknown in environment["unknown"].items():
        log.info(
            "%s: %.2f %% of words and %.2f %% of tokens unknown",
            split,
            100 * unknown["unknown_word_share"],
            100 * unknown["unknown_token_share"],
        )
    parameters = f"{environment['parameters']['trainable_without_embeddings']:,}"
    log.info(
        "%s: %s trainable parameters without embeddings, vocabulary of %d",
        model.name,
        parameters,
        environment["vocabulary_size"],
    )
    published = model.published_units
    if embedding.path and published and embedding.output_units != published:
        log.warning(
            "word vectors have %d features, in the paper %d: with %s parameters, the "
            "model differs from the paper. 'embedding.projection: %d' keeps the size "
            "of the paper",
            embedding.output_units,
            published,
            parameters,
            published,
        )


def log_best(history: History, metric: str) -> None:
    """Logs the best dev evaluation of a history."""
    evaluated = [row for row in history if row[f"val_{metric}"] is not None]
    best = max(evaluated, key=lambda row: row[f"val_{metric}"])
    log.info(
        "best dev %s %.4f at step %d of %d",
        metric,
        best[f"val_{metric}"],
        best["step"],
        history[-1]["step"],
    )
