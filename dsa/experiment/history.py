"""The history of a run: its numbers after each evaluation, from `history.csv`."""

import csv
import io
import itertools
import math

from dsa.errors import InputError

NAME = "history.csv"
OVER = {"steps": "step", "epochs": "epoch", "seconds": "seconds"}  # its columns


def read_history(run):
    """The rows of a run's history: dictionaries of numbers, `None` where there is none.

    Args:
        run: the `RunFolder`.

    Raises: `InputError` for a run without history, and for a damaged one.
    """
    try:
        reader = csv.DictReader(io.StringIO(run.read(NAME)), strict=True)
        rows = [{name: _read_number(row[name]) for name in row} for row in reader]
    except (ValueError, csv.Error) as error:
        raise InputError(f"{run.path / NAME}: damaged: {error}") from error
    if not rows:
        raise InputError(f"{run.path / NAME}: no evaluation yet")
    return rows


def read_curve(run, column, over="steps"):
    """A column of a run's history, of the evaluations that have a number there.

    Args:
        run: the `RunFolder`.
        column: such as `loss` or `val_accuracy`.
        over: one of `OVER`; seconds are those of the training steps so far.

    Returns: two lists of the same length: places on the axis, and numbers.

    Raises: `InputError` for a run without history, or without these columns.
    """
    rows = read_history(run)
    try:
        places = [row[OVER[over]] for row in rows]
        if over == "seconds":
            places = list(itertools.accumulate(places))
        points = [
            (place, row[column])
            for place, row in zip(places, rows, strict=True)
            if row[column] is not None and math.isfinite(place + row[column])
        ]
    except (KeyError, TypeError, OverflowError):
        points = []
    if not points:
        raise InputError(
            f"{run.path / NAME}: no numbers in '{OVER[over]}' and '{column}'"
        )
    places, numbers = zip(*points, strict=True)
    return list(places), list(numbers)


def _read_number(text):
    if not isinstance(text, str):  # `csv` has no text, or a list
        raise ValueError("a row has not one field for each column")
    if text == "":
        return None
    return int(text) if text.isdecimal() else float(text)
