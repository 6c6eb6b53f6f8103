"""What a piece of bulk work is: its run, its input, its settings and its shards.

The plan is in a folder `work` beside the result until the result is complete:

    plan.json       the plan, written when all rows have been checked
    rows.jsonl      the rows, see `rows_file`
    words.npz       vectors of words that the run lacks
    shards/         a record of each finished shard, and its predictions
    vectors.npy     the vectors, as far as they are computed
    logs/           what jobs print
"""

import dataclasses
import functools
import hashlib
import json
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.run_files import VOUCHED
from dsa.inference.bulk.rows_file import Shard
from dsa.system.atomic_files import write_atomically
from dsa.system.reading import fingerprint, read_json_object

WORK, PLAN, ROWS = "work", "plan.json", "rows.jsonl"
FORMAT = 1
VECTORS, PREDICTIONS = "vectors", "predictions"


def fingerprint_run(run):
    """`{name: SHA-256}` of the files that a run's model is made of."""
    paths = [run.path / name for name in VOUCHED]
    return {path.name: fingerprint(path) for path in paths if path.is_file()}


@dataclasses.dataclass(frozen=True)
class Plan:
    """A piece of bulk work.

    Args:
        settings: a dictionary of what decides the result, see `bulk_work`.
        source: what errors call the input.
        shards: a list of `Shard`.
        parses: whether every row has parses.
    """

    settings: dict
    source: str
    shards: list
    parses: bool = False

    @property
    def rows(self):
        """Their number."""
        return sum(shard.rows for shard in self.shards)

    @functools.cached_property
    def id(self):
        """A name that no other plan has."""
        return hashlib.sha256(self._as_text().encode()).hexdigest()[:16]

    def write(self, path):
        """Write it to a file, atomically."""
        write_atomically(path, self._as_text())

    @classmethod
    def read(cls, path):
        """What `write` wrote; `None` if there is no file.

        Raises: `InputError` for a damaged file, or one of another version.
        """
        if not Path(path).exists():
            return None
        content = read_json_object(path)
        if content.get("format") != FORMAT:
            raise InputError(f"{path}: of another version. --force begins again")
        try:
            shards = [Shard(*map(int, shard)) for shard in content["shards"]]
            return cls(
                dict(content["settings"]),
                str(content["source"]),
                shards,
                bool(content["parses"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: damaged: {error!r}") from error

    def _as_text(self):
        return json.dumps({"format": FORMAT, **dataclasses.asdict(self)}) + "\n"


def check_same_settings(folder, old, new):
    """Raises an error if a folder has the work of other settings.

    Args:
        folder: the folder.
        old, new: dictionaries of settings.

    Raises: `InputError` that names what differs.
    """
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if names:
        raise InputError(
            f"{folder}: has the work of {', '.join(map(_describe(old, new), names))}. "
            "Name another folder, or begin again with --force"
        )


def _describe(old, new):
    """A function of the name of a setting to words on its two values."""

    def describe(name):
        values = old.get(name), new.get(name)
        if any(isinstance(value, dict) or len(str(value)) > 40 for value in values):
            return f"another {name}"
        return f"another {name} ({values[0]}, not {values[1]})"

    return describe
