"""One training, fresh or resumed: what every trainer gets."""

import dataclasses
import time
from pathlib import Path

from dsa.backends.description import describe
from dsa.experiment.config import Experiment
from dsa.experiment.run_folder import RunFolder
from dsa.experiment.run_records import FORMAT
from dsa.system.terminal import release_held_lines
from dsa.training.training_data import TrainingData, build_training_data


@dataclasses.dataclass(frozen=True)
class Session:
    """One training in this process.

    Args:
        experiment: the `Experiment`.
        run: the `RunFolder` that it writes into.
        data: the `TrainingData`.
        earlier: what `environment.json` says of a training that goes on; empty for a
            new one.
        command: what was run, for `environment.json`.
        began: when this process began, by `time.perf_counter`.
        root: the data root.
        first: the `RunFolder` of the first stage of a layer-wise training, or `None`.
    """

    experiment: Experiment
    run: RunFolder
    data: TrainingData
    earlier: dict
    command: str | None
    began: float
    root: Path | None = None
    first: RunFolder | None = None

    @property
    def task(self):
        return self.data.task

    @property
    def resumed(self):
        """Whether it goes on from what the run folder holds."""
        return bool(self.earlier)

    def facts(self, parameters, **facts):
        """What `environment.json` says from the beginning. Of a training that goes on
        with other code or on another machine, `earlier_parts` says with what it had
        been trained, up to which step.

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
            "parameters": parameters,
            "files_recorded": True,  # in sha256.json
        }

    def seconds(self):
        """Seconds since this process began."""
        return time.perf_counter() - self.began

    def write_facts(self, facts, **later):
        """Write `environment.json`: what was known at first, and what came later. From
        now on the run changes, and so does its log."""
        release_held_lines()
        self.run.write_json("environment.json", {**facts, **later})


def _list_earlier_parts(earlier, described):
    """The parts of a training that were not computed as what follows.

    Args:
        earlier: the content of `environment.json` until now; empty for a new training.
        described: what is written there now, of code and machine.
    """
    parts = list(earlier.get("earlier_parts", []))
    names = described.keys() & earlier.keys()
    if any(earlier[name] != described[name] for name in names):
        part = {name: earlier[name] for name in described if name in names}
        parts.append({"until_step": earlier.get("steps", 0), **part})
    return parts


def open_session(experiment, run, root, command, resumed, first=None):
    """Read the data and give a `Session`; a fresh one writes its words and splits.

    Args:
        experiment: the `Experiment`.
        run: a `RunFolder` that holds the experiment's `config.yaml`.
        root: the data root.
        command: what was run, for `environment.json`.
        resumed: whether to go on from what the run folder holds.
        first: the `RunFolder` of the first stage, or `None`.

    Raises: `InputError` as `build_training_data`.
    """
    began = time.perf_counter()
    data = build_training_data(experiment, root, run if resumed else None)
    if not resumed:
        data.write(run)
    earlier = run.environment() if resumed else {}
    return Session(experiment, run, data, earlier, command, began, root, first)
