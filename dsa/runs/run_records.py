"""Validates the JSON files of a run, and reads its history."""

import csv
import io
import itertools
import math
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.errors import InputError

if TYPE_CHECKING:
    from dsa.runs.run_folder import RunFolder

RUN_FORMAT = 1
FILE_SPLIT = "file"  # name of the split of a file that is not in the config
ENVIRONMENT_TYPES = {  # types of values in environment.json; a bool is not an int
    "vocabulary_size": (int,),
    "frozen_rows": (int,),
    "steps": (int,),
    "steps_per_epoch": (int,),
    "wall_seconds": (float, int),
    "stopped": (bool,),
    "pairs": (dict,),
    "parameters": (dict,),
    "earlier_parts": (list,),
}
HISTORY_FILE = "history.csv"
X_AXES = {  # column of each x axis
    "steps": "step",
    "epochs": "epoch",
    "seconds": "seconds",
}


def check_environment(content: Any, run: Path) -> dict[str, Any]:
    """Validates the content of `environment.json`, and returns it.

    Raises: `InputError` if the run has another run format or the content is damaged.
    """
    environment = content if isinstance(content, dict) else {}
    run_format = environment.get("run_format")
    file = run / "environment.json"
    if type(run_format) is not int or run_format != RUN_FORMAT:
        raise InputError(
            f"{run} was written in run format {run_format!r}, but this version of dsa "
            f"reads format {RUN_FORMAT}"
        )
    fingerprints = environment.get("sha256")
    if not isinstance(fingerprints, dict) or not all(
        isinstance(value, str) for value in fingerprints.values()
    ):
        raise InputError(f"{file}: 'sha256' must contain fingerprints of data files")
    for name, types in ENVIRONMENT_TYPES.items():
        if name in environment and type(environment[name]) not in types:
            raise InputError(
                f"{file}: '{name}' must be {types[0].__name__}. Received: "
                f"{environment[name]!r:.50}"
            )
    return environment


def check_splits(
    content: Any, file: Path, splits: Collection[str], rows: int | None
) -> None:
    """Validates the content of `splits.json`.

    Args:
        content: content of the file.
        file: path of the file, for error messages.
        splits: names of the splits that share a corpus file.
        rows: number of rows of the corpus file; `None` if it is unknown.

    Raises: `InputError` if the rows of a split are missing or out of range.
    """
    if (
        not isinstance(content, dict)
        or set(content) != set(splits)
        or not all(
            isinstance(part, list)
            and all(type(row) is int and row >= 0 for row in part)
            for part in content.values()
        )
    ):
        raise InputError(f"{file}: expected the rows of {', '.join(splits)}")
    last = max((max(part, default=0) for part in content.values()), default=0)
    if rows is not None and last >= rows:
        raise InputError(
            f"{file}: rows must be below {rows}, the number of rows of the corpus "
            f"file. Received: {last}"
        )


def check_entries(content: Any, file: Path, key: str) -> list[dict[str, Any]]:
    """Returns the list `evaluations` of a JSON file.

    Args:
        content: content of the file.
        file: path of the file, for error messages.
        key: key that each entry must contain.

    Raises: `InputError` if the list is missing or an entry is invalid.
    """
    entries = content.get("evaluations") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get(key), str) for entry in entries
    ):
        raise InputError(f"{file}: expected a list of 'evaluations'")
    return entries


def read_history(run: "RunFolder") -> list[dict[str, Any]]:
    """Returns one dictionary of numbers for each evaluation in `history.csv`.

    Empty cells are `None`.

    Raises: `InputError` if the history is missing or damaged.
    """
    try:
        reader = csv.DictReader(io.StringIO(run.read(HISTORY_FILE)), strict=True)
        rows = [{name: _read_number(row[name]) for name in row} for row in reader]
    except (ValueError, csv.Error) as error:
        raise InputError(f"{run.path / HISTORY_FILE}: damaged: {error}") from error
    if not rows:
        raise InputError(f"{run.path / HISTORY_FILE}: no evaluation yet")
    steps = [0, *(row["step"] for row in rows if row.get("step") is not None)]
    if not all(step > previous for previous, step in itertools.pairwise(steps)):
        raise InputError(
            f"{run.path / HISTORY_FILE}: damaged: the steps do not increase"
        )
    return rows


def read_curve(
    run: "RunFolder", column: str, over: str = "steps"
) -> tuple[list[float], list[float]]:
    """Returns the learning curve of a column of the history, without empty cells.

    Args:
        run: run folder.
        column: name of the column, such as `loss` or `val_accuracy`.
        over: x axis, a key of `X_AXES`. Seconds are summed over the evaluations.

    Returns: two lists of equal length: the x values and the y values.

    Raises: `InputError` if the run has no history or the column has no numbers.
    """
    rows = read_history(run)
    try:
        x_values = [row[X_AXES[over]] for row in rows]
        if over == "seconds":
            x_values = list(itertools.accumulate(x_values))
        points = [
            (x, row[column])
            for x, row in zip(x_values, rows, strict=True)
            if row[column] is not None and math.isfinite(x + row[column])
        ]
    except (KeyError, TypeError, OverflowError):
        points = []
    if not points:
        raise InputError(
            f"{run.path / HISTORY_FILE}: no numbers in '{X_AXES[over]}' and "
            f"'{column}'. Columns: {', '.join(rows[0])}"
        )
    return [x for x, _ in points], [y for _, y in points]


def _read_number(text):
    if not isinstance(text, str):  # missing or additional fields
        raise ValueError("a row must have one field per column")
    if text == "":
        return None
    if text.isdecimal():
        return int(text)
    return float(text)
