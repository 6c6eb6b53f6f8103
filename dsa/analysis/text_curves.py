"""Curves as plain text for a terminal."""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from dsa.errors import InputError

MARKS = "ox+*#@%&"  # of the runs
LINE = "."
ROWS = 16


def write_curves(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    label: str,
    over: str = "steps",
    columns: int = 64,
) -> str:
    """Returns curves as text, with a mark for each evaluation and dots in between.

    Args:
        curves: `{name: (places, numbers)}`, places in rising order.
        label: label of the numbers.
        over: label of the places.
        columns: maximum number of characters per line.

    Raises: `InputError` if the range of the numbers is not finite.

    Example:
        >>> text = write_curves({"a": ([1, 3], [0, 15])}, "loss", columns=16)
        >>> for line in text.splitlines()[-4:]:
        ...     print(line.strip())
        +------
        1    3
        over steps
        o a
    """
    labels = [f"{number:.4g}" for number in _find_range(curves, 1)]
    margin = max(8, *map(len, labels))
    canvas = _Canvas(curves, columns - margin - 2)
    for places, numbers in curves.values():
        canvas.draw_line(places, numbers)
    marks = dict(zip(curves, itertools.cycle(MARKS), strict=False))
    for name, (places, numbers) in curves.items():
        canvas.draw_marks(places, numbers, marks[name])
    low, high = labels
    lines = [label]
    for number, row in enumerate(canvas.rows):
        side = {0: high, ROWS - 1: low}.get(number, "")
        lines.append(f"{side:>{margin}} |{''.join(row)}".rstrip())
    left, right = (f"{place:.6g}" for place in canvas.places)
    lines.append(" " * (margin + 1) + "+" + "-" * canvas.columns)
    lines.append(" " * (margin + 2) + left + f"{right:>{canvas.columns - len(left)}}")
    return "\n".join([*lines, f"over {over}", *(f"{marks[n]} {n}" for n in curves)])


class _Canvas:
    """A grid of characters over the ranges of all curves.

    Args:
        curves: see `write_curves`.
        columns: number of columns.
    """

    def __init__(self, curves, columns):
        self.columns = max(columns, 2)
        self.places = _find_range(curves, 0)
        self.numbers = _find_range(curves, 1)
        self.rows = [[" "] * self.columns for _ in range(ROWS)]

    def draw_line(self, places, numbers):
        """Draws a dot in each column between the first and the last place."""
        first, last = (
            _scale(place, self.places, self.columns)
            for place in (places[0], places[-1])
        )
        for column in range(first, last + 1):
            low, high = self.places
            place = low + (high - low) * column / (self.columns - 1)
            self._put(column, np.interp(place, places, numbers), LINE)

    def draw_marks(self, places, numbers, mark):
        for place, number in zip(places, numbers, strict=True):
            self._put(_scale(place, self.places, self.columns), number, mark)

    def _put(self, column, number, mark):
        self.rows[ROWS - 1 - _scale(number, self.numbers, ROWS)][column] = mark


def _find_range(curves, axis):
    values = [value for curve in curves.values() for value in curve[axis]]
    low, high = min(values), max(values)
    if not math.isfinite(high - low):
        raise InputError(f"numbers from {low:.4g} to {high:.4g} cannot be drawn")
    return low, high


def _scale(value, ends, count):
    """Maps a value between two ends to an index below `count`."""
    low, high = ends
    return round((value - low) / (high - low) * (count - 1)) if high > low else 0
