"""Figures of values per word, such as gates and pooling weights."""

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.plots import add_legend
from dsa.analysis.style import ALARM, COLORS, MARKERS, WIDTH, in_style
from dsa.analysis.word_plots import (
    LINE_HEIGHT,
    add_notes,
    check_readable_length,
    label_words,
)

MAX_TITLE_CHARACTERS = 26  # per line of a panel title
# (maximum - minimum) / largest absolute value; below it, a scale does not start at 0
MIN_RELATIVE_RANGE = 0.25
FROM_0_TO_1 = ("gate", "deactivated")  # prefixes of panel names with the scale 0 to 1


@in_style
def draw_word_panels(
    tokens: Sequence[str],
    runs: Mapping[str, Mapping[str, np.ndarray]],
    title: str | None = None,
    unknown: Iterable[str] = (),
) -> Figure:
    """Draws values per word, such as gates and pooling weights.

    Each map is drawn in a panel, with a marker for each run. The scale of a panel
    starts at 0, unless the values of all words are similar; such a panel has a note.

    Args:
        tokens: texts of the L tokens.
        runs: `{run name: {panel name: (L,)}}`, see `collect_token_values`.
        title: title of the figure.
        unknown: tokens outside the vocabulary of any run.

    Example:
        >>> gate = {"gate": np.array([0.4, 0.6])}
        >>> figure = draw_word_panels(["a", "dog"], {"dsa": gate})
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['gate', '']
    """
    check_readable_length(tokens)
    panel_names: dict[str, None] = {}  # an ordered set
    for values_by_name in runs.values():
        panel_names.update(dict.fromkeys(values_by_name))
    panels = list(panel_names)
    rows = math.ceil(len(panels) / 2)
    step = math.ceil(len(tokens) * LINE_HEIGHT / (WIDTH / 2 - 0.8))
    figure = Figure((WIDTH, 1.9 * rows + 1.2), layout="constrained")
    grid = figure.subplots(rows, 2, squeeze=False, sharex=True)
    marks = {}  # collected from all panels, because a run can lack a panel
    for axes, name in zip(grid.flat, panels, strict=False):
        for run, mark in _draw_panel(axes, name, runs).items():
            marks.setdefault(run, mark)
        axes.set_xlim(-0.6, len(tokens) - 0.4)
        label_words(axes.xaxis, tokens, unknown, step)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_axis_off()
    for axes in list(grid.flat)[: len(panels)][-2:]:  # lowest panel of each column
        axes.tick_params(axis="x", labelbottom=True)
    if len(runs) > 1:
        add_legend(figure, marks.values(), marks, "upper center")
    notes = []
    if step > 1:
        notes.append(f"one of {step} words is written")
    add_notes(figure, tokens, unknown, notes)
    if title:
        figure.suptitle(title, x=0.01, ha="left", parse_math=False)
    return figure


def _draw_panel(axes, name, runs):
    """Draws the values of a panel with a marker for each run.

    Args:
        axes: the Matplotlib axes.
        name: name of the panel.
        runs: see `draw_word_panels`. Runs without this panel are omitted.

    Returns: `{run name: Matplotlib line}` of the drawn runs.
    """
    marks = {}
    values = []
    for number, (run, values_by_name) in enumerate(runs.items()):
        if name not in values_by_name:
            continue
        values.append(values_by_name[name])
        (marks[run],) = axes.plot(
            values_by_name[name],
            linestyle="",
            marker=MARKERS[number],
            markersize=5,
            color=COLORS[number],
        )
    axes.grid()
    if name.startswith(FROM_0_TO_1):
        axes.set_ylim(0, 1)
    else:
        _set_scale(axes, values)
    axes.set_ylabel(textwrap.fill(name, MAX_TITLE_CHARACTERS))
    return marks


def _set_scale(axes, values):
    """Sets the limits of the y axis, so that the scale includes 0.

    Values with a small range keep Matplotlib's limits and get a note.

    Args:
        axes: the Matplotlib axes.
        values: list of arrays `(L,)`, one per run.
    """
    low = float(np.min(values))
    high = float(np.max(values))
    largest = max(abs(low), abs(high))
    if 0 < high - low < MIN_RELATIVE_RANGE * largest:
        axes.set_title("this scale does not start at 0", fontweight="bold", color=ALARM)
        return
    margin = 0.08 * (max(high, 0) - min(low, 0)) or 1
    bottom = low - margin if low < 0 else 0
    top = 0 if low < 0 and high <= 0 else high + margin
    axes.set_ylim(bottom, top)
