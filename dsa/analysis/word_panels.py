"""Figures of values per word, such as gates and pooling weights."""

import math
import textwrap
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.plots import add_legend
from dsa.analysis.style import ALARM, COLORS, MARKERS, WIDTH, in_style
from dsa.analysis.word_plots import (
    LABEL_LENGTH,
    LINE_HEIGHT,
    add_notes,
    check_readable_length,
    label_words,
)

MAX_LABEL_LINE_LENGTH = 26  # characters per line of a y axis label
# (maximum - minimum) / largest absolute value; below it, a scale does not start at 0
MIN_RELATIVE_RANGE = 0.25
UNIT_SCALE_PREFIXES = ("gate", "deactivated")  # of panels with the scale 0 to 1
PANEL_HEIGHT = 1.9  # inches
MARGIN_HEIGHT = 1.2  # inches; space for title, legend, words and notes


@in_style
def draw_word_panels(
    tokens: Sequence[str],
    runs: Mapping[str, Mapping[str, np.ndarray]],
    title: str | None = None,
    unknown: Collection[str] = (),
) -> Figure:
    """Draws values per word, such as gates and pooling weights.

    The values of each name are drawn in a panel, with a marker for each run. The scale
    of a panel includes 0, except for values with a small relative range; such a panel
    has a note. Gates and fractions of deactivated units have the scale 0 to 1.

    Args:
        tokens: texts of the L tokens.
        runs: `{run name: {panel name: (L,)}}`, see `collect_token_values`.
        title: title of the figure.
        unknown: tokens that are outside the vocabulary of at least one run.

    Raises: `InputError` if there are more than `MAX_WORDS` tokens.

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
    step = math.ceil(len(tokens) * LINE_HEIGHT / (WIDTH / 2 - LABEL_LENGTH))
    height = PANEL_HEIGHT * rows + MARGIN_HEIGHT
    figure = Figure((WIDTH, height), layout="constrained")
    all_axes = list(figure.subplots(rows, 2, squeeze=False, sharex=True).flat)
    used_axes = all_axes[: len(panels)]
    unused_axes = all_axes[len(panels) :]
    handles = {}  # collected from all panels, because a run can lack a panel
    for axes, name in zip(used_axes, panels, strict=True):
        for run, handle in _draw_panel(axes, name, runs).items():
            handles.setdefault(run, handle)
        axes.set_xlim(-0.6, len(tokens) - 0.4)
        label_words(axes.xaxis, tokens, unknown, step)
    for axes in unused_axes:
        axes.set_axis_off()
    for axes in used_axes[-2:]:  # lowest panel of each column
        axes.tick_params(axis="x", labelbottom=True)
    if len(runs) > 1:
        add_legend(figure, handles.values(), handles, "upper center")
    notes = []
    if step > 1:
        notes.append(f"one of {step} words is labelled")
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
    handles = {}
    values = []
    for number, (run, values_by_name) in enumerate(runs.items()):
        if name not in values_by_name:
            continue
        values.append(values_by_name[name])
        (handles[run],) = axes.plot(
            values_by_name[name],
            linestyle="",
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            color=COLORS[number % len(COLORS)],
        )
    axes.grid()
    if name.startswith(UNIT_SCALE_PREFIXES):
        axes.set_ylim(0, 1)
    else:
        _set_scale(axes, values)
    axes.set_ylabel(textwrap.fill(name, MAX_LABEL_LINE_LENGTH))
    return handles


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
