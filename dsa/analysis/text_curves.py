"""Draws curves as plain text for a terminal."""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from dsa.errors import InputError

MARKS = "ox+*#@%&ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # one mark per run
LINE = "."  # between the marks of a curve
ROWS = 16  # height of the canvas in lines
POSITIONS, VALUES = 0, 1  # indices into a curve


def format_curves(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    label: str,
    over: str = "steps",
    columns: int = 64,
) -> str:
    """Draws curves as text, with a mark for each evaluation and dots in between.

    Args:
        curves: `{run name: (positions, values)}`, with positions in ascending order.
        label: label of the values.
        over: label of the positions.
        columns: maximum number of characters per line.

    Returns: the lines of the drawing, with a legend.

    Raises: `InputError` if a value or position is NaN or infinite.

    Example:
        >>> text = format_curves({"a": ([1, 3], [0, 15])}, "loss", columns=16)
        >>> for line in text.splitlines()[-4:]:
        ...     print(line.strip())
        +------
        1    3
        over steps
        o a
    """
    low, high = _find_range(curves, VALUES)
    low_label = f"{low:.4g}"
    high_label = f"{high:.4g}"
    margin = max(8, len(low_label), len(high_label))
    canvas = _Canvas(curves, columns - margin - 2)
    for positions, values in curves.values():
        canvas.draw_line(positions, values)
    marks = dict(zip(curves, itertools.cycle(MARKS), strict=False))
    for name, (positions, values) in curves.items():
        canvas.draw_marks(positions, values, marks[name])
    lines = [label]
    row_labels = {0: high_label, ROWS - 1: low_label}
    for number, row in enumerate(canvas.rows):
        row_label = row_labels.get(number, "")
        lines.append(f"{row_label:>{margin}} |{''.join(row)}".rstrip())
    left, right = (f"{position:.6g}" for position in canvas.position_range)
    lines.append(" " * (margin + 1) + "+" + "-" * canvas.columns)
    lines.append(" " * (margin + 2) + left + f"{right:>{canvas.columns - len(left)}}")
    lines.append(f"over {over}")
    lines += [f"{marks[name]} {name}" for name in curves]
    return "\n".join(lines)


class _Canvas:
    """A grid of characters over the ranges of all curves.

    Args:
        curves: see `format_curves`.
        columns: number of columns.
    """

    def __init__(self, curves, columns):
        self.columns = max(columns, 2)
        self.position_range = _find_range(curves, POSITIONS)
        self.value_range = _find_range(curves, VALUES)
        self.rows = [[" "] * self.columns for _ in range(ROWS)]

    def draw_line(self, positions, values):
        """Draws a dot in each column between the first and the last position."""
        first = self._find_column(positions[0])
        last = self._find_column(positions[-1])
        low, high = self.position_range
        for column in range(first, last + 1):
            position = low + (high - low) * column / (self.columns - 1)
            self._put(column, np.interp(position, positions, values), LINE)

    def draw_marks(self, positions, values, mark):
        """Draws a mark for each value."""
        for position, value in zip(positions, values, strict=True):
            self._put(self._find_column(position), value, mark)

    def _find_column(self, position):
        return _scale(position, self.position_range, self.columns)

    def _put(self, column, value, mark):
        row = ROWS - 1 - _scale(value, self.value_range, ROWS)
        self.rows[row][column] = mark


def _find_range(curves, axis):
    """Returns the minimum and the maximum of all curves.

    Args:
        curves: see `format_curves`.
        axis: `POSITIONS` or `VALUES`.
    """
    low = min(min(curve[axis]) for curve in curves.values())
    high = max(max(curve[axis]) for curve in curves.values())
    if not math.isfinite(high - low):
        raise InputError(
            f"the range of a curve must be finite. Received: {low:.4g} to {high:.4g}"
        )
    return low, high


def _scale(value, value_range, count):
    """Maps a value linearly from a range `(low, high)` to an index below `count`."""
    low, high = value_range
    if high == low:
        return 0
    return round((value - low) / (high - low) * (count - 1))
