"""Figures with words on the axes: attention maps, gates and pooling weights."""

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.map_views import View
from dsa.analysis.plots import add_legend
from dsa.analysis.style import ALARM, COLORS, GREY, MARKERS, WIDTH, in_style
from dsa.errors import InputError
from dsa.explanation import MAX_WORDS
from dsa.system.terminal import escape_controls

LONGEST_LABEL = 20  # letters
LETTERS_PER_LINE = 26  # in the name of a panel
LARGEST_FEATURES = 40
MIN_SPREAD = 0.25  # relative to the largest number, for a scale that starts at 0
LETTER = 0.125  # inches; height of a word
LABEL = 0.8  # inches; length of the longest words
LARGEST_CELL = 0.3  # inches
FROM_0_TO_1 = ("gate", "deactivated")  # prefixes of panel names


@in_style
def draw_attention_maps(
    view: View, title: str | None = None, largest: float | None = None
) -> Figure:
    """Draws attention maps with query words as rows and key words as columns.

    All panels have the same colour scale. Masked keys are white, see
    `find_unreachable`. For a long sentence, only every second, third, ... word is
    labelled.

    Args:
        view: a `View` with panels `(L, K)`.
        title: title of the figure.
        largest: upper end of the colour scale, which starts at 0; `None` for
            `view.largest` or else the largest weight.

    Raises: `InputError` for more than `MAX_WORDS` tokens.

    Example:
        >>> view = View({"forward": np.eye(2)}, ("a", "dog"), ("a", "dog"))
        >>> figure = draw_attention_maps(view)
        >>> figure.axes[0].get_title()
        'forward'
    """
    for words in (view.tokens, view.looked_at):
        check_readable_length(words)
    width, height = measure_maps(view)
    figure = Figure((width, height + (0.3 if title else 0)), layout="constrained")
    draw_maps_into(figure, view, largest)
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


def measure_maps(view: View) -> tuple[float, float]:
    """Returns width and height of the figure of a view, in inches."""
    columns = min(view.columns, len(view.panels))
    rows = math.ceil(len(view.panels) / columns)
    panel_width = (WIDTH - 1 - LABEL) / columns - 0.25
    cell = min(LARGEST_CELL, panel_width / len(view.looked_at))
    width = columns * (cell * len(view.looked_at) + 0.25) + LABEL + 1
    letters = min(max(map(len, view.looked_at)), LONGEST_LABEL)
    label_height = max(LABEL, 0.075 * letters + 0.2)
    height = rows * (cell * len(view.tokens) + 0.35) + label_height + 0.45
    return min(max(width, 4), WIDTH), max(height, 2.2)


def draw_maps_into(figure, view: View, largest: float | None = None) -> None:
    """Draws the maps of a view into a figure or subfigure.

    Args:
        figure: the figure or subfigure.
        view, largest: see `draw_attention_maps`.
    """
    maps, tokens, looked_at = view.panels, view.tokens, view.looked_at
    columns = min(view.columns, len(maps))
    rows = math.ceil(len(maps) / columns)
    grid = figure.subplots(rows, columns, squeeze=False)
    if largest is None:
        largest = view.largest
    if largest is None:
        largest = max(float(weights.max(initial=0)) for weights in maps.values())
    width, _ = measure_maps(view)
    cell = ((width - 1 - LABEL) / columns - 0.25) / len(looked_at)
    step = max(1, math.ceil(LETTER / min(cell, LARGEST_CELL)))
    images = []
    has_white = False
    for number, (name, weights) in enumerate(maps.items()):
        axes = grid.flat[number]
        unreachable = find_unreachable(weights)
        has_white |= bool(unreachable.any())
        reachable = np.ma.masked_array(weights, unreachable)
        images.append(axes.imshow(reachable, vmin=0, vmax=largest or 1))
        axes.spines[:].set_visible(True)
        axes.set_title(name, parse_math=False)
        is_lowest = number // columns == rows - 1
        label_words(axes.xaxis, looked_at if is_lowest else (), view.unknown, step)
        is_first = number % columns == 0
        label_words(axes.yaxis, tokens if is_first else (), view.unknown, step)
        if is_lowest:
            axes.set_xlabel("attends to")
        if is_first:
            axes.set_ylabel("word")
    for axes in list(grid.flat)[len(maps) :]:
        axes.set_axis_off()
    bar = figure.colorbar(images[-1], ax=grid, shrink=0.6, aspect=30)
    bar.set_label(view.measure)
    notes = ["white: masked"] if has_white else []
    if step > 1:
        notes.append(f"one of {step} words is written")
    _explain(figure, [*tokens, *looked_at], view.unknown, notes)


def find_unreachable(weights: np.ndarray) -> np.ndarray:
    """Returns the keys that are masked by a directional mask.

    These are the upper or lower triangle of a square map, with the diagonal, or the
    diagonal, if all its weights are 0. Other zeros are weights.

    Args:
        weights: `(L, K)`.

    Returns: bool `(L, K)`, true for masked keys.

    Example:
        >>> find_unreachable(np.array([[0, 0], [1, 0]])).tolist()
        [[True, True], [False, True]]
    """
    nothing = np.zeros(weights.shape, bool)
    is_square = weights.shape[0] == weights.shape[1]
    if not is_square or len(weights) < 2 or not weights.any():
        return nothing
    everything = ~nothing
    diagonal = np.eye(len(weights), dtype=bool)
    for masked in (np.triu(everything), np.tril(everything), diagonal):
        if not weights[masked].any():
            return masked
    return nothing


@in_style
def draw_feature_weights(
    runs: Mapping[str, Mapping[str, np.ndarray]], title: str | None = None
) -> Figure:
    """Draws the features with the largest weights, in descending order.

    Each row is drawn as a strip of colours. All strips have the same scale, and the
    strips of a run have the same features.

    Args:
        runs: `{run name: {row name: (S,)}}`, non-negative weights.
        title: title of the figure.

    Example:
        >>> rows = {"a dog": np.array([0.1, 0.5]), "the dog": np.array([0.3, 0.2])}
        >>> figure = draw_feature_weights({"dsa": rows})
        >>> figure.axes[0].images[0].get_array().tolist()
        [[0.5, 0.1]]
    """
    strips, images = [], []
    for rows in runs.values():
        largest = np.max(list(rows.values()), axis=0)
        features = np.argsort(-largest, kind="stable")[:LARGEST_FEATURES]
        strips += [(name, weights[features]) for name, weights in rows.items()]
    figure = Figure((WIDTH, 0.9 * len(strips) + 0.8), layout="constrained")
    grid = figure.subplots(len(strips), 1, squeeze=False)[:, 0]
    highest = max(float(weights.max()) for _, weights in strips)
    for axes, (name, weights) in zip(grid, strips, strict=True):
        images.append(axes.imshow(weights[None], vmin=0, vmax=highest, aspect="auto"))
        axes.set_title(name, loc="left", parse_math=False)
        axes.set_yticks([])
        axes.set_xticks([])
    count = len(strips[0][1])
    total = len(next(iter(next(iter(runs.values())).values())))
    grid[-1].set_xlabel(f"features by falling weight: the {count} largest of {total}")
    bar = figure.colorbar(images[-1], ax=grid.tolist())
    bar.set_label("weight")
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


@in_style
def draw_word_panels(
    tokens: Sequence[str],
    runs: Mapping[str, Mapping[str, np.ndarray]],
    title: str | None = None,
    unknown: Iterable[str] = (),
) -> Figure:
    """Draws numbers by word, such as gates and pooling weights.

    There is a panel for each map, with a marker for each run. The scales start at 0,
    except for panels with small differences between the words, which have a note.

    Args:
        tokens: the L tokens.
        runs: `{run name: {panel name: (L,)}}`, see `collect_word_numbers`.
        title: title of the figure.
        unknown: tokens outside the vocabulary of a run.

    Example:
        >>> gate = {"gate": np.array([0.4, 0.6])}
        >>> figure = draw_word_panels(["a", "dog"], {"dsa": gate})
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['gate', '']
    """
    check_readable_length(tokens)
    panels = list(dict.fromkeys(name for words in runs.values() for name in words))
    rows = math.ceil(len(panels) / 2)
    step = math.ceil(len(tokens) * LETTER / (WIDTH / 2 - 0.8))
    figure = Figure((WIDTH, 1.9 * rows + 1.2), layout="constrained")
    grid = figure.subplots(rows, 2, squeeze=False, sharex=True)
    marks = {}  # collected from all panels, as a run can be missing in a panel
    for axes, name in zip(grid.flat, panels, strict=False):
        for number, (run, words) in enumerate(runs.items()):
            if name in words:
                style = {"marker": MARKERS[number], "color": COLORS[number]}
                (mark,) = axes.plot(words[name], linestyle="", markersize=5, **style)
                marks.setdefault(run, mark)
        axes.grid()
        if name.startswith(FROM_0_TO_1):
            axes.set_ylim(0, 1)
        else:
            _set_scale(axes, [run[name] for run in runs.values() if name in run])
        axes.set_ylabel(textwrap.fill(name, LETTERS_PER_LINE))
        axes.set_xlim(-0.6, len(tokens) - 0.4)
        label_words(axes.xaxis, tokens, unknown, step)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_axis_off()
    for axes in list(grid.flat)[: len(panels)][-2:]:  # lowest panel of each column
        axes.tick_params(axis="x", labelbottom=True)
    if len(runs) > 1:
        add_legend(figure, marks.values(), marks, "upper center")
    notes = [f"one of {step} words is written"] if step > 1 else []
    _explain(figure, tokens, unknown, notes)
    if title:
        figure.suptitle(title, x=0.01, ha="left", parse_math=False)
    return figure


def _set_scale(axes, numbers):
    """Sets a scale that starts at 0, or includes 0 for negative numbers."""
    low = min(float(np.min(run_numbers)) for run_numbers in numbers)
    high = max(float(np.max(run_numbers)) for run_numbers in numbers)
    spread = high - low
    largest = max(abs(low), abs(high))
    if 0 < spread < MIN_SPREAD * largest:
        axes.set_title("this scale does not start at 0", fontweight="bold", color=ALARM)
        return
    margin = 0.08 * (max(high, 0) - min(low, 0)) or 1
    bottom = low - margin if low < 0 else 0
    top = 0 if low < 0 and high <= 0 else high + margin
    axes.set_ylim(bottom, top)


def check_readable_length(tokens: Sequence[str]) -> None:
    """Raises `InputError` for more than `MAX_WORDS` tokens."""
    if len(tokens) > MAX_WORDS:
        raise InputError(
            f"figures are limited to {MAX_WORDS} words. Received: {len(tokens):,} "
            "tokens"
        )


def label_words(axis, tokens, unknown, step=1):
    """Labels an axis with every `step`-th word. Unknown words are grey."""
    positions = list(range(0, len(tokens), step))
    labelled = tokens[::step]
    axis.set_ticks(positions, [_shorten(token) for token in labelled])
    for tick, token in zip(axis.get_major_ticks(), labelled, strict=False):
        label = tick.label1
        label.set_parse_math(False)  # `$` is literal
        if token in unknown:
            label.set_color(GREY)
        if axis.axis_name == "x":
            label.set_rotation(90)


def _explain(figure, tokens, unknown, notes):
    """Adds notes below a figure, such as the meaning of grey words."""
    if set(tokens) & set(unknown):
        notes = [*notes, "grey words are unknown to the run: all read as one word"]
    if notes:
        figure.supxlabel("; ".join(notes), fontsize=9, color=GREY)


def _shorten(token):
    """Returns a printable token of at most `LONGEST_LABEL` letters."""
    token = escape_controls(token)
    return token if len(token) <= LONGEST_LABEL else f"{token[:LONGEST_LABEL]}…"
