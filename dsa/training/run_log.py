"""The log of a training: `environment.json`, and a copy of the history in trackers."""

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
from dsa.system import environment
from dsa.system.network_bounds import call_within
from dsa.system.terminal import release_held_lines
from dsa.training.tracking.tracker import (
    TRACKERS,
    History,
    read_tracking,
    step_number,
)
from dsa.training.training_state import Record

MAX_SECONDS = 120.0  # limit for a tracker to write, or to close
log = logging.getLogger(__name__)


class RunLog:
    """Writes `environment.json` and copies the history of a run to its trackers.

    `history.csv` is authoritative. A tracker gets each row after the training state was
    saved, so that it is never ahead of a resumed run. Rows that were lost by a kill are
    written with the next row. `tracking.json` keeps the identifier of the run in
    trackers, and the last step that each tracker has written.

    A tracker that fails or exceeds `MAX_SECONDS` is disabled with a warning; the
    training continues.

    As a context manager, the run log closes the trackers.

    Args:
        run: the run folder.
        settings: the resolved config, as nested dictionaries, for the trackers.
        trackers: names of the trackers, see `training.track`.
        command: the command of this training, for `environment.json`.
        facts: content of `environment.json` so far; empty for a new training.

    Raises: `InputError` for a damaged `tracking.json`.
    """

    def __init__(
        self,
        run: RunFolder,
        settings: dict[str, Any],
        trackers: Sequence[str] = (),
        command: str | None = None,
        facts: dict[str, Any] | None = None,
    ) -> None:
        self.run = run
        self.settings = settings
        self.command = command
        self.facts = facts or {}
        self.started = time.perf_counter()
        self.trackers = {}  # the open ones by name
        self.names = list(trackers)  # without failed trackers
        self.run_id, self.written = read_tracking(run) if self.names else (None, {})
        self.sent = dict(self.written)  # last step by tracker, written or not

    def __enter__(self) -> "RunLog":
        return self

    def __exit__(self, *error: Any) -> None:
        for name, tracker in list(self.trackers.items()):
            with self._tolerating_failure(name):
                call_within(MAX_SECONDS, tracker.close)
                self._record_written(name)

    def begin(self, facts: dict[str, Any]) -> None:
        """Writes `environment.json` before the first step.

        For a run resumed on other code or hardware, `earlier_parts` lists the
        previous environments and their last steps.

        Args:
            facts: seed, facts of `TrainingData.facts`, and `parameters`, the numbers of
                parameters of the model.
        """
        described = describe()
        parts = list_earlier_parts(self.facts, described)
        self.facts = {
            "run_format": FORMAT,
            "command": self.command,
            **described,
            **({"earlier_parts": parts} if parts else {}),
            **facts,
            "wall_seconds": self.facts.get("wall_seconds", 0),
        }
        self.update()

    def update(self, **facts: Any) -> None:
        """Writes `environment.json` with further facts.

        Releases the lines of the log that were held until the run folder changes.
        """
        release_held_lines()
        self.run.write_json("environment.json", {**self.facts, **facts})

    def write(self, history: History, stopped: bool) -> None:
        """Writes steps, seconds and memory after an evaluation, and the trackers.

        Args:
            history: all rows of `history.csv`.
            stopped: whether training ends with this evaluation.
        """
        steps, steps_per_epoch = history[-1]["step"], self.facts["steps_per_epoch"]
        seconds = sum(row["seconds"] for row in history)
        wall_seconds = self.facts["wall_seconds"] + time.perf_counter() - self.started
        self.update(
            steps=steps,
            seconds_per_epoch=round(seconds * steps_per_epoch / steps, 3),
            wall_seconds=round(wall_seconds, 3),
            peak_memory_bytes=environment.peak_memory(),
            stopped=stopped,
        )
        self.track(history)

    def complete(self, record: Record) -> None:
        """Writes the entry of the last evaluation if it is missing, and the trackers.

        Args:
            record: the `Record` of a finished training.
        """
        if self.facts.get("steps") == record.step:
            self.track(record.history)
            return
        epochs = record.history[-1]["epoch"]
        self.facts.setdefault("steps_per_epoch", round(record.step / epochs))
        self.run.write_record()
        self.write(record.history, record.stopped)

    def track(self, history: History) -> None:
        """Sends the rows of a history to the trackers that lack them.

        Args:
            history: all rows of `history.csv`, dictionaries of numbers and `None`.
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
        """Context that disables a tracker if it fails."""
        try:
            yield
        except Exception as error:
            if name in self.names:
                self.names.remove(name)
            if isinstance(error, TimeoutError):
                self.trackers.pop(name, None)  # closing would wait again
            log.warning(
                "%s failed and is disabled, history.csv is complete: %s",
                name,
                (str(error) or type(error).__name__).split("\n")[0],
            )


def list_earlier_parts(
    earlier: dict[str, Any], described: dict[str, Any]
) -> list[dict[str, Any]]:
    """Returns the earlier segments of a resumed run that used other code or hardware.

    Args:
        earlier: content of `environment.json` so far; empty for a new training.
        described: versions and device of this process, see `describe`.
    """
    parts = list(earlier.get("earlier_parts", []))
    names = described.keys() & earlier.keys()
    if any(earlier[name] != described[name] for name in names):
        part = {name: earlier[name] for name in described if name in names}
        parts.append({"until_step": earlier.get("steps", 0), **part})
    return parts


def log_model(
    model: ModelConfig, embedding: EmbeddingConfig, facts: dict[str, Any]
) -> None:
    """Logs unknown words and the size of the model.

    Warns if the word vectors have another size than in the paper of the model.

    Args:
        model: the `model` section.
        embedding: the `embedding` section.
        facts: the content of `environment.json`.
    """
    for split, unknown in facts["unknown"].items():
        log.info(
            "%s: %.2f %% of words and %.2f %% of tokens unknown",
            split,
            100 * unknown["unknown_word_share"],
            100 * unknown["unknown_token_share"],
        )
    parameters = f"{facts['parameters']['trainable_without_embeddings']:,}"
    log.info(
        "%s: %s trainable parameters without embeddings, vocabulary of %d",
        model.name,
        parameters,
        facts["vocabulary_size"],
    )
    published = model.published_units
    if embedding.path and published and embedding.output_units != published:
        log.warning(
            "word vectors have %d features, in the paper %d: with %s parameters this "
            "is another model than the paper's. 'embedding.projection: %d' keeps its "
            "size",
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
