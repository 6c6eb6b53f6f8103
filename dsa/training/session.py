"""One training, new or resumed, and what it reports while it runs."""

import dataclasses
import logging
import time
from pathlib import Path
from typing import Any

from dsa.backends.description import describe
from dsa.data.corpora.hub_rows import is_address, resolve_revision
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import FORMAT
from dsa.system import environment
from dsa.system.terminal import release_held_lines
from dsa.training.checkpoint import dev_values
from dsa.training.stage_runs import StageRun
from dsa.training.tracking.mirror import Mirror
from dsa.training.training_data import TrainingData, build_training_data
from dsa.training.training_state import Record

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Session:
    """One training in this process.

    Args:
        run: the `RunFolder` that it writes into.
        earlier: what `environment.json` says of a training that is resumed; empty for a
            new one.
        command: what was run, for `environment.json`.
        began: when this process began, by `time.perf_counter`.
    """

    experiment: Experiment
    run: RunFolder
    data: TrainingData
    earlier: dict
    command: str | None
    began: float

    @property
    def task(self) -> Any:
        return self.data.task

    @property
    def resumed(self) -> bool:
        """Whether it resumes what the run folder holds."""
        return bool(self.earlier)

    def facts(self, parameters: dict[str, Any], **facts: Any) -> dict[str, Any]:
        """What `environment.json` says from the beginning. Of a training that is
        resumed with other code or on another machine, `earlier_parts` says with what it
        was trained before, and up to which step.

        Args:
            parameters: numbers of the model's parameters.
            facts: further entries.
        """
        described = describe()
        parts = _list_earlier_parts(self.earlier, described)
        return {
            "run_format": FORMAT,
            "command": self.command,
            **described,
            **({"earlier_parts": parts} if parts else {}),
            **facts,
            "seed": self.experiment.seed,
            **self.data.facts(),
            **_find_revisions(self.experiment.data),
            "parameters": parameters,
            "wall_seconds": self.earlier.get("wall_seconds", 0),
        }

    def seconds(self) -> float:
        """Seconds since this process began."""
        return time.perf_counter() - self.began

    def write_facts(self, facts: dict[str, Any], **later: Any) -> None:
        """Write `environment.json`: what was known at first, and what came later. From
        now on the run changes, and so does its log."""
        release_held_lines()
        self.run.write_json("environment.json", {**facts, **later})


def _find_revisions(data):
    """The revisions of the data sets of an address that a training reads, by split."""
    found = {
        split: resolve_revision(file)
        for split, file in data.training_files.items()
        if is_address(file)
    }
    return {"data_revisions": found} if found else {}


def _list_earlier_parts(earlier, described):
    """The parts of a training that were not computed as what follows, by the content
    of `environment.json` until now and what describes code and machine now."""
    parts = list(earlier.get("earlier_parts", []))
    names = described.keys() & earlier.keys()
    if any(earlier[name] != described[name] for name in names):
        part = {name: earlier[name] for name in described if name in names}
        parts.append({"until_step": earlier.get("steps", 0), **part})
    return parts


def open_session(
    one: StageRun, root: Path, command: str | None, resumed: bool
) -> Session:
    """Reads the data of a training; a new one writes its words and splits.

    Raises: `InputError` as `build_training_data`.
    """
    began, run = time.perf_counter(), one.run
    data = build_training_data(one.experiment, root, run if resumed else None)
    if not resumed:
        data.write(run)
    earlier = run.environment() if resumed else {}
    return Session(one.experiment, run, data, earlier, command, began)


@dataclasses.dataclass(frozen=True)
class Report:
    """Writes `environment.json` at the beginning and after every evaluation, and then
    what the trackers get."""

    session: Session
    facts: dict[str, Any]
    steps_per_epoch: int
    mirror: Mirror

    def begin(self) -> None:
        """Write and log what is known before the first step."""
        self.session.write_facts(self.facts)
        for split, unknown in self.facts["unknown"].items():
            log.info(
                "%s: %.2f %% of words and %.2f %% of tokens unknown",
                split,
                100 * unknown["unknown_word_share"],
                100 * unknown["unknown_token_share"],
            )
        experiment = self.session.experiment
        count = f"{self.facts['parameters']['trainable_without_embeddings']:,}"
        log.info(
            "%s: %s trainable parameters without embeddings, vocabulary of %d",
            experiment.model.name,
            count,
            self.facts["vocabulary_size"],
        )
        embedding, published = experiment.embedding, experiment.model.published_units
        if embedding.path and published and embedding.output_units != published:
            log.warning(
                "vectors of %d numbers instead of the paper's %d: with %s parameters "
                "this is another model than the paper's. 'embedding.projection: %d' "
                "keeps its size",
                embedding.output_units,
                published,
                count,
                published,
            )

    def write(self, history: list[dict[str, Any]], stopped: bool) -> None:
        """Write steps, seconds and memory so far; `seconds_per_epoch` is of training
        steps."""
        steps = history[-1]["step"]
        seconds = sum(row["seconds"] for row in history)
        self.session.write_facts(
            self.facts,
            steps=steps,
            steps_per_epoch=self.steps_per_epoch,
            seconds_per_epoch=round(seconds * self.steps_per_epoch / steps, 3),
            wall_seconds=round(self.facts["wall_seconds"] + self.session.seconds(), 3),
            peak_memory_bytes=environment.peak_memory(),
            stopped=stopped,
        )
        self.mirror.write(history)

    def end_again(self, record: Record) -> None:
        """Write what is missing of a run that has trained to its end: nothing, unless
        it was killed between its last state and its last report."""
        log.info("%s has finished training already", self.session.run.path)
        log_best(record.history, self.session.task.selects)
        if self.session.earlier.get("steps") != record.step:
            self.session.run.write_record()
            self.write(record.history, record.stopped)
        else:
            self.mirror.write(record.history)


def log_best(history: list[dict[str, Any]], metric: str) -> None:
    """Log the best evaluation on dev of a history."""
    best = max(dev_values(history, metric))
    log.info(
        "best dev %s %.4f at step %d of %d",
        metric,
        best,
        next(row["step"] for row in history if row[f"val_{metric}"] == best),
        history[-1]["step"],
    )
