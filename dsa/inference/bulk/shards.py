"""The shards of an input: the plan that says what they are, their rows, their results.

All of it is in a folder `work` beside the result until the result is complete:

    plan.json                 the plan, written when all rows have been checked
    words.npz                 vectors of words that the run lacks
    0000000.jsonl             the rows of a shard, an `Example` as JSON per line
    0000000-<plan>-<SHA-256>  the result of a finished shard: a part of the complete one
    logs/                     what jobs print

A shard is finished when its result stands under its final name. Jobs read the rows of
their shards and not the input, so that machines need to share this folder only.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from dsa.data.corpora.example import Example
from dsa.errors import InputError
from dsa.runs.run_files import MODEL_FILES
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import write_atomically
from dsa.system.reading import fingerprint, read_json_object

WORK, PLAN = "work", "plan.json"
FORMAT = 2  # of the plan
VECTORS, PREDICTIONS = "vectors", "predictions"
FILES = {VECTORS: "vectors.npy", PREDICTIONS: "predictions.jsonl"}  # complete results
DTYPES = ("float32", "float16")  # of vectors
CHUNK = 2**24  # bytes that are read at once


class Plan(NamedTuple):
    """A piece of bulk work."""

    settings: dict[str, Any]  # what decides the result, see `manifest`
    source: str  # what errors call the input
    shards: list[int]  # the number of rows of each
    parses: bool = False  # whether every row has parses

    @property
    def rows(self) -> int:
        """The number of rows of the input."""
        return sum(self.shards)

    @property
    def dtype(self) -> np.dtype | None:
        """The type of vectors on every machine; `None` for predictions."""
        name = self.settings["dtype"]
        return name and np.dtype(name).newbyteorder("<")

    def write(self, work: Path) -> None:
        """Writes it into a folder, atomically."""
        content = {"format": FORMAT, **self._asdict()}
        write_atomically(work / PLAN, json.dumps(content) + "\n")

    @classmethod
    def read(cls, work: Path) -> "Plan | None":
        """Returns what `write` wrote into a folder; `None` if there is no file.

        Raises: `InputError` for a damaged file, or one of another version.
        """
        path = work / PLAN
        kinds = {"settings": dict, "source": str, "shards": list, "parses": bool}
        content = read_record(path, FORMAT, kinds)
        if content is None:
            return None
        check_settings(path, content["settings"])
        if not content["shards"] or not all(map(is_count, content["shards"])):
            raise InputError(f"{path}: damaged: 'shards' must be numbers of rows")
        return cls(*(content[name] for name in kinds))


def read_record(
    path: Path, format: int, kinds: dict[str, type]
) -> dict[str, Any] | None:
    """Returns a JSON object that this package wrote, with a `format` and entries of
    some `kinds`; `None` if there is no file.

    Raises: `InputError` for a damaged file, or one of another version.
    """
    if not path.exists():
        return None
    content = read_json_object(path)
    if content.get("format") != format:
        raise InputError(f"{path}: of another version. --force begins again")
    for name, kind in kinds.items():
        if type(content.get(name)) is not kind:  # `True` is no number of rows
            raise InputError(f"{path}: damaged: '{name}' is missing or no {kind}")
    return content


def is_count(value: Any) -> bool:
    """Returns whether a value of a JSON file is a number of rows, 1 or more."""
    return type(value) is int and value > 0


def check_settings(path: Path, settings: dict[str, Any]) -> None:
    """Raises `InputError` for settings of a file that are not those of some work: what
    is made, and the type of vectors."""
    what, dtype = settings.get("what"), settings.get("dtype")
    known = {VECTORS: DTYPES, PREDICTIONS: (None,)}
    if not (isinstance(what, str) and dtype in known.get(what, ())):
        raise InputError(
            f"{path}: damaged: no work has 'what: {what}' and 'dtype: {dtype}'"
        )


def fingerprint_run(run: RunFolder) -> dict[str, str]:
    """Returns `{name: SHA-256}` of the files that a run's model is made of."""
    paths = [run.path / name for name in MODEL_FILES]
    return {path.name: fingerprint(path) for path in paths if path.is_file()}


def check_same_settings(folder: Path, old: dict, new: dict) -> None:
    """Raises `InputError`, naming what differs, if the work in a folder has settings
    other than the new ones."""
    changed = []
    for name in {**old, **new}:
        was, now = old.get(name), new.get(name)
        if was != now:
            short = all(
                isinstance(v, int | str) and len(str(v)) < 40 for v in (was, now)
            )
            changed.append(f"another {name}" + f" ({was}, not {now})" * short)
    if changed:
        raise InputError(
            f"{folder}: has the work of {', '.join(changed)}. Name another folder, or "
            "begin again with --force"
        )


def write_rows(work: Path, examples: Iterable[Example], shard_rows: int) -> list[int]:
    """Cuts rows into shards and writes a file for each; one of them is in memory.

    A shard has more than `shard_rows` where its last rows are of one group: the answers
    to a question stay together.

    Returns: the number of rows of each shard.
    """
    counts: list[int] = []
    for rows in _cut(examples, shard_rows):
        text = "".join(json.dumps(example) + "\n" for example in rows)
        write_atomically(_name_rows(work, len(counts)), text)
        counts.append(len(rows))
    return counts


def _cut(examples: Iterable[Example], shard_rows: int) -> Iterator[list[Example]]:
    rows: list[Example] = []
    for example in examples:
        is_full = len(rows) >= shard_rows
        if is_full and (example.group is None or example.group != rows[-1].group):
            yield rows
            rows = []
        rows.append(example)
    yield rows


def _name_rows(work, number):
    return work / f"{number:07}.jsonl"


class Shards:
    """The rows and the results of a plan's shards, which are numbered from 0, in the
    folder `work`."""

    def __init__(self, work: Path, plan: Plan) -> None:
        self.work, self.plan = work, plan
        # a job of another plan that is still running leaves nothing for this one
        self._id = hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:16]

    def read_rows(self, number: int) -> list[Example]:
        """Returns the rows of a shard.

        Raises: `InputError` for a file that is not as `write_rows` wrote it.
        """
        path = _name_rows(self.work, number)
        try:
            lines = path.read_bytes().splitlines()  # the JSON has ASCII only
            rows = [_make_example(*json.loads(line)) for line in lines]
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise InputError(f"{path}: damaged: {error}") from error
        if len(rows) != self.plan.shards[number]:
            raise InputError(f"{path}: damaged: it is cut")
        return rows

    def list_unfinished(self) -> list[int]:
        """Returns the numbers of the shards that have no result."""
        results = self._find_results()
        return [n for n in range(len(self.plan.shards)) if n not in results]

    def write_result(self, number: int, content: Any) -> None:
        """Writes a shard's part of the complete result, bytes or an array. Then the
        shard is finished."""
        data = memoryview(content).cast("B")
        name = f"{number:07}-{self._id}-{hashlib.sha256(data).hexdigest()}"
        write_atomically(self.work / name, data)

    def join_results(self, path: Path) -> dict[str, Any]:
        """Writes the complete result, atomically and in constant memory.

        Returns: facts for the manifest: `units` of vectors or `lines` of predictions,
            and `shards`, the rows and the SHA-256 of each.

        Raises: `InputError` for a shard's result that has changed. It is removed, so
            that the next call computes it again.
        """
        results, dtype = self._find_results(), self.plan.dtype
        shards = [
            {"rows": rows, "sha256": _read_sha256(results[number])}
            for number, rows in enumerate(self.plan.shards)
        ]
        facts: dict[str, Any] = {"shards": shards}

        def join(temporary):
            with open(temporary, "wb") as file:
                if dtype is not None:
                    values = results[0].stat().st_size // dtype.itemsize
                    facts["units"] = values // self.plan.shards[0]
                    _write_header(file, (self.plan.rows, facts["units"]), dtype)
                lines = sum(_copy(path, file) for _, path in sorted(results.items()))
                if dtype is None:
                    facts["lines"] = lines

        write_atomically(path, join)
        return facts

    def _find_results(self):
        """Returns `{number: path}` of the shards that are finished."""
        paths = sorted(self.work.glob(f"[0-9]*-{self._id}-*"))
        return {int(path.name.split("-")[0]): path for path in paths}


def _read_sha256(path):
    return path.name.split("-")[-1]


def _copy(path: Path, file: BinaryIO) -> int:
    """Appends a shard's result to a file. Returns its number of line ends.

    Raises: `InputError` for a result that has changed; it is removed.
    """
    digest, lines = hashlib.sha256(), 0
    with open(path, "rb") as part:
        while content := part.read(CHUNK):
            digest.update(content)
            file.write(content)
            lines += content.count(b"\n")
    if digest.hexdigest() != _read_sha256(path):
        path.unlink()
        raise InputError(
            f"{path}: damaged. It was removed: the same command computes it again"
        )
    return lines


def _write_header(file, shape, dtype):
    """Writes the first bytes of the `.npy` file of an array."""
    facts = np.lib.format.header_data_from_array_1_0(np.empty((0, 0), dtype))
    np.lib.format.write_array_header_1_0(file, facts | {"shape": shape})


def _make_example(texts, label, name, group, parses, row):
    """The row of a line's values.

    Raises: `TypeError` for values of other types than those of an `Example`.
    """
    fits = (
        _are_texts(texts)
        and isinstance(label, str | float | int | None)
        and isinstance(name, str | None)
        and isinstance(group, str | None)
        and (parses is None or _are_texts(parses) and len(parses) == len(texts))
        and is_count(row)
    )
    if not fits:
        raise TypeError("a line is no row")
    return Example(tuple(texts), label, name, group, parses and tuple(parses), row)


def _are_texts(values):
    return isinstance(values, list) and all(isinstance(v, str) for v in values)
