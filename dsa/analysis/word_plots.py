"""Figures of attention maps and feature weights, with words on the axes."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.map_views import View
from dsa.analysis.style import GREY, WIDTH, in_style
from dsa.errors import InputError
from dsa.explanation import MAX_WORDS
from dsa.system.terminal import escape_controls

MAX_LABEL_CHARACTERS = 20  # longer words are truncated
NUM_FEATURES = 40  # number of features in a figure of feature weights
LINE_HEIGHT = 0.125  # inches per word
LABEL_LENGTH = 0.8  # inches; space for the words on an axis
MAX_CELL_SIZE = 0.3  # inches


@in_style
def draw_attention_maps(view: View, title: str | None = None) -> Figure:
    """Draws attention maps with query words as rows and key words as columns.

    All panels have the same colour scale. Masked keys are white, see
    `find_masked_keys`. For a long sentence, only every second, third, ... word is
    labelled.

    Args:
        view: a `View` with panels `(L, K)`.
        title: title of the figure.

    Raises: `InputError` if a sentence has more than `MAX_WORDS` tokens.

    Example:
        >>> view = View({"forward": np.eye(2)}, ("a", "dog"), ("a", "dog"))
        >>> figure = draw_attention_maps(view)
        >>> figure.axes[0].get_title()
        'forward'
    """
    check_readable_length(view.tokens)
    check_readable_length(view.attended_tokens)
    width, height = compute_figure_size(view)
    if title:
        height += 0.3
    figure = Figure((width, height), layout="constrained")
    draw_maps_into(figure, view)
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


def compute_figure_size(view: View) -> tuple[float, float]:
    """Returns the width and the height in inches of the figure of a view."""
    columns = min(view.columns, len(view.panels))
    rows = math.ceil(len(view.panels) / columns)
    panel_width = (WIDTH - 1 - LABEL_LENGTH) / columns - 0.25
    cell = min(MAX_CELL_SIZE, panel_width / len(view.attended_tokens))
    width = columns * (cell * len(view.attended_tokens) + 0.25) + LABEL_LENGTH + 1
    characters = min(max(map(len, view.attended_tokens)), MAX_LABEL_CHARACTERS)
    label_height = max(LABEL_LENGTH, 0.075 * characters + 0.2)
    height = rows * (cell * len(view.tokens) + 0.35) + label_height + 0.45
    return min(max(width, 4), WIDTH), max(height, 2.2)


def draw_maps_into(figure: Any, view: View) -> None:
    """Draws the maps of a view into a figure or subfigure.

    The colour scale starts at 0 and ends at `view.max_value`, or at the largest weight
    if that is `None`.

    Args:
        figure: the Matplotlib `Figure` or `SubFigure`.
        view: see `draw_attention_maps`.
    """
    maps = view.panels
    columns = min(view.columns, len(maps))
    rows = math.ceil(len(maps) / columns)
    grid = figure.subplots(rows, columns, squeeze=False)
    max_value = view.max_value
    if max_value is None:
        max_value = max(float(weights.max(initial=0)) for weights in maps.values())
    width, _ = compute_figure_size(view)
    cell = ((width - 1 - LABEL_LENGTH) / columns - 0.25) / len(view.attended_tokens)
    step = max(1, math.ceil(LINE_HEIGHT / min(cell, MAX_CELL_SIZE)))
    images = []
    has_masked_keys = False
    for number, (name, weights) in enumerate(maps.items()):
        axes = grid.flat[number]
        is_masked = find_masked_keys(weights)
        if is_masked.any():
            has_masked_keys = True
        drawn = np.ma.masked_array(weights, is_masked)
        images.append(axes.imshow(drawn, vmin=0, vmax=max_value or 1))
        axes.spines[:].set_visible(True)
        axes.set_title(name, parse_math=False)
        if number + columns >= len(maps):  # lowest panel of its column
            label_words(axes.xaxis, view.attended_tokens, view.unknown, step)
            axes.set_xlabel("attends to")
        else:
            axes.set_xticks([])
        if number % columns == 0:  # first column
            label_words(axes.yaxis, view.tokens, view.unknown, step)
            axes.set_ylabel("word")
        else:
            axes.set_yticks([])
    for axes in list(grid.flat)[len(maps) :]:
        axes.set_axis_off()
    bar = figure.colorbar(images[-1], ax=grid, shrink=0.6, aspect=30)
    bar.set_label(view.measure)
    notes = []
    if has_masked_keys:
        notes.append("white: masked")
    if step > 1:
        notes.append(f"one of {step} words is labelled")
    add_notes(figure, [*view.tokens, *view.attended_tokens], view.unknown, notes)


def find_masked_keys(weights: np.ndarray) -> np.ndarray:
    """Returns the positions of a map that are masked by a directional mask.

    The mask is inferred from the weights of a square map. It consists of the upper
    triangle with the diagonal, the lower triangle with the diagonal, or the diagonal:
    the first region whose weights are all 0. Zeros in other regions are ordinary
    weights.

    Args:
        weights: attention weights `(L, K)`.

    Returns: bool `(L, K)`, true at masked positions.

    Example:
        >>> find_masked_keys(np.array([[0, 0], [1, 0]])).tolist()
        [[True, True], [False, True]]
    """
    unmasked = np.zeros(weights.shape, bool)
    is_square = weights.shape[0] == weights.shape[1]
    if not is_square or len(weights) < 2 or not weights.any():
        return unmasked
    ones = np.ones(weights.shape, bool)
    diagonal = np.eye(len(weights), dtype=bool)
    for mask in (np.triu(ones), np.tril(ones), diagonal):
        if not weights[mask].any():
            return mask
    return unmasked


@in_style
def draw_feature_weights(
    runs: Mapping[str, Mapping[str, np.ndarray]], title: str | None = None
) -> Figure:
    """Draws the largest feature weights of each row as a strip of colours.

    All strips have the same colour scale. The strips of a run have the same features,
    in descending order of their largest weight in these strips.

    Args:
        runs: `{run name: {row name: (S,)}}`, non-negative weights of S features.
        title: title of the figure.

    Example:
        >>> rows = {"a dog": np.array([0.1, 0.5]), "the dog": np.array([0.3, 0.2])}
        >>> figure = draw_feature_weights({"dsa": rows})
        >>> figure.axes[0].images[0].get_array().tolist()
        [[0.5, 0.1]]
    """
    strips = []
    images = []
    for rows in runs.values():
        largest = np.max(list(rows.values()), axis=0)
        features = np.argsort(-largest, kind="stable")[:NUM_FEATURES]
        for name, weights in rows.items():
            strips.append((name, weights[features]))
    figure = Figure((WIDTH, 0.9 * len(strips) + 0.8), layout="constrained")
    grid = figure.subplots(len(strips), 1, squeeze=False)[:, 0]
    max_value = max(float(weights.max()) for _, weights in strips)
    for axes, (name, weights) in zip(grid, strips, strict=True):
        strip = np.expand_dims(weights, 0)
        images.append(axes.imshow(strip, vmin=0, vmax=max_value, aspect="auto"))
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


def check_readable_length(tokens: Sequence[str]) -> None:
    """Raises `InputError` if a sentence has more than `MAX_WORDS` tokens."""
    if len(tokens) > MAX_WORDS:
        raise InputError(
            f"figures are limited to {MAX_WORDS} words. Received: {len(tokens):,} "
            "tokens"
        )


def label_words(
    axis: Any, tokens: Sequence[str], unknown: Collection[str], step: int = 1
) -> None:
    """Labels an axis with every `step`-th word. Unknown words are grey.

    Args:
        axis: the Matplotlib x axis or y axis.
        tokens: the tokens; token n is at position n of the axis.
        unknown: tokens outside the vocabulary.
        step: distance of the labelled tokens.
    """
    positions = list(range(0, len(tokens), step))
    labelled = tokens[::step]
    axis.set_ticks(positions, [_truncate(token) for token in labelled])
    for tick, token in zip(axis.get_major_ticks(), labelled, strict=False):
        label = tick.label1
        label.set_parse_math(False)  # `$` is literal
        if token in unknown:
            label.set_color(GREY)
        if axis.axis_name == "x":
            label.set_rotation(90)


def add_notes(
    figure: Figure, tokens: Sequence[str], unknown: Collection[str], notes: list[str]
) -> None:
    """Adds notes below a figure.

    Args:
        figure: the Matplotlib `Figure` or `SubFigure`.
        tokens: tokens in the figure.
        unknown: tokens outside the vocabulary. If the figure contains one of them, a
            note explains the grey words.
        notes: other notes.
    """
    if set(tokens) & set(unknown):
        notes = [*notes, "grey words are unknown to the run: all read as one word"]
    if notes:
        figure.supxlabel("; ".join(notes), fontsize=9, color=GREY)


def _truncate(token):
    """Escapes control characters, and truncates a token to `MAX_LABEL_CHARACTERS`."""
    token = escape_controls(token)
    if len(token) <= MAX_LABEL_CHARACTERS:
        return token
    return f"{token[:MAX_LABEL_CHARACTERS]}…"
