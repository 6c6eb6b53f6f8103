"""Figures whose axes are words: attention maps, and numbers by word such as gates and
pooling weights."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.map_views import View
from dsa.analysis.plots import COLORS, MARKERS, add_legend
from dsa.errors import InputError
from dsa.system.terminal import escape_controls

MAP = "cividis"  # readable for colour-blind people, and in grey
MOST_WORDS = 120  # more labels cannot be read
LONGEST_LABEL = 20
GREY = "#999999"
LETTERS_PER_LINE = 26  # of a panel's name
LARGEST_FEATURES = 40
# of the largest number: below it, words differ too little on a scale from 0
LEAST_SPREAD = 0.25
ALARM = "#D55E00"  # Okabe and Ito's vermilion


def draw_attention_maps(
    view: View, title: str | None = None, largest: float | None = None
) -> Figure:
    """Draws attention weights as maps: each row is a word, its columns where it looks.

    All panels have one colour scale.

    Args:
        view: `View`, its panels `(L, K)` in reading order.
        title: over the whole figure.
        largest: upper end of the colour scale, which begins at 0; `None` for the
            largest weight.

    Raises: `InputError` for more than `MOST_WORDS` tokens.

    Example:
        >>> view = View({"forward": np.eye(2)}, ("a", "dog"), ("a", "dog"))
        >>> figure = draw_attention_maps(view)
        >>> figure.axes[0].get_title()
        'forward'
    """
    maps, tokens, looked_at = view.panels, view.tokens, view.looked_at
    for words in (tokens, looked_at):
        check_readable_length(words)
    columns = min(view.columns, len(maps))
    rows = -(-len(maps) // columns)
    width = _map_inches(len(looked_at)) * columns + 1
    height = _map_inches(len(tokens)) * rows + 0.6
    figure = Figure((width, height), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    if largest is None:
        largest = max(float(weights.max(initial=0)) for weights in maps.values())
    images = []
    for axes, (name, weights) in zip(grid.flat, maps.items(), strict=False):
        images.append(axes.imshow(weights, cmap=MAP, vmin=0, vmax=largest or 1))
        axes.set_title(name, fontsize=10, parse_math=False)
        _label_words(axes.xaxis, looked_at, view.unknown)
        _label_words(axes.yaxis, tokens, view.unknown)
        axes.set_xlabel("looks at", fontsize=8)
        axes.set_ylabel("word", fontsize=8)
    for axes in list(grid.flat)[len(maps) :]:
        axes.set_axis_off()
    bar = figure.colorbar(images[-1], ax=grid, shrink=0.6, aspect=30)
    bar.set_label("attention weight", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    _explain_grey_words(figure, [*tokens, *looked_at], view.unknown)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_feature_weights(
    runs: Mapping[str, Mapping[str, np.ndarray]], title: str | None = None
) -> Figure:
    """Draws the largest weights of each run by feature, in falling order: a strip of
    colours for each row, on one scale. The rows of a run have the same features.

    Args:
        runs: `{run name: {row name: (S,)}}`, weights from 0.
        title: over the whole figure.

    Example:
        >>> rows = {"a dog": np.array([0.1, 0.5]), "the dog": np.array([0.3, 0.2])}
        >>> figure = draw_feature_weights({"dsa": rows})
        >>> [label.get_text() for label in figure.axes[1].get_xticklabels()]
        ['1', '0']
    """
    strips, images = [], []
    for rows in runs.values():
        largest = np.max(list(rows.values()), axis=0)
        features = np.argsort(-largest, kind="stable")[:LARGEST_FEATURES]
        strips += [
            (name, weights[features], features) for name, weights in rows.items()
        ]
    figure = Figure((10, 1.3 * len(strips) + 1), layout="constrained")
    grid = figure.subplots(len(strips), 1, squeeze=False)[:, 0]
    highest = max(float(weights.max()) for _, weights, _ in strips)
    for axes, (name, weights, features) in zip(grid, strips, strict=True):
        images.append(
            axes.imshow(weights[None], cmap=MAP, vmin=0, vmax=highest, aspect="auto")
        )
        axes.set_title(name, fontsize=9, parse_math=False)
        axes.set_yticks([])
        axes.set_xticks(range(len(features)), features, fontsize=6, rotation=90)
    shown, of = len(strips[0][2]), len(next(iter(next(iter(runs.values())).values())))
    grid[-1].set_xlabel(
        f"feature, by falling weight: the {shown} largest of {of}", fontsize=8
    )
    bar = figure.colorbar(images[-1], ax=grid.tolist())
    bar.set_label("weight", fontsize=8)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_word_panels(
    tokens: Sequence[str],
    runs: Mapping[str, Mapping[str, np.ndarray]],
    title: str | None = None,
    unknown: Iterable[str] = (),
) -> Figure:
    """Draws numbers by word, such as gates and pooling weights: one panel for each,
    with a mark for each run. Each panel has its own scale, which starts at 0; where
    words differ too little for that, the panel says that it does not.

    Args:
        tokens: L texts.
        runs: `{run name: {panel name: (L,)}}`, see `collect_word_numbers`.
        title: over the whole figure.
        unknown: those of the tokens that a run does not know.

    Example:
        >>> gate = {"gate": np.array([0.4, 0.6])}
        >>> figure = draw_word_panels(["a", "dog"], {"dsa": gate})
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['gate', '']
    """
    check_readable_length(tokens)
    panels = list(dict.fromkeys(name for words in runs.values() for name in words))
    rows = -(-len(panels) // 2)
    width = min(max(8, 0.28 * len(tokens) + 2), 16)
    figure = Figure((width, 1.9 * rows + 0.6), layout="constrained")
    grid = figure.subplots(rows, 2, squeeze=False, sharex=True)
    for axes, name in zip(grid.flat, panels, strict=False):
        for number, (run, words) in enumerate(runs.items()):
            if name in words:
                style = {"marker": MARKERS[number], "color": COLORS[number]}
                axes.plot(words[name], linestyle="", markersize=5, label=run, **style)
        axes.grid(alpha=0.3)
        _set_scale(axes, [run[name] for run in runs.values() if name in run])
        axes.set_ylabel(textwrap.fill(name, LETTERS_PER_LINE), fontsize=8)
        axes.tick_params(axis="y", labelsize=8)
        axes.set_xlim(-0.6, len(tokens) - 0.4)
        _label_words(axes.xaxis, tokens, unknown)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_axis_off()
    for axes in list(grid.flat)[: len(panels)][-2:]:  # also above a panel that is off
        axes.tick_params(axis="x", labelbottom=True)
    if len(runs) > 1:
        shown = {}  # the first panel may not have all runs
        for axes in grid.flat:
            handles, labels = axes.get_legend_handles_labels()
            shown |= dict(zip(labels, handles, strict=True))
        add_legend(figure, shown.values(), shown)
    _explain_grey_words(figure, tokens, unknown)
    if title:
        figure.suptitle(title, fontsize=11, x=0.01, ha="left", parse_math=False)
    return figure


def _set_scale(axes, numbers):
    """A scale with 0 at its end, or inside it where numbers are below 0."""
    low = min(float(np.min(part)) for part in numbers)
    high = max(float(np.max(part)) for part in numbers)
    spread, largest = high - low, max(abs(low), abs(high))
    if 0 < spread < LEAST_SPREAD * largest:
        axes.set_title(
            "this scale does not start at 0", fontsize=8, fontweight="bold", color=ALARM
        )
        return
    room = 0.08 * (max(high, 0) - min(low, 0)) or 1
    bottom = low - room if low < 0 else 0
    axes.set_ylim(bottom, 0 if bottom < 0 and high <= 0 else high + room)


def check_readable_length(tokens: Sequence[str]) -> None:
    """Raises `InputError` for more than `MOST_WORDS` tokens."""
    if len(tokens) > MOST_WORDS:
        raise InputError(
            f"a figure holds at most {MOST_WORDS} words that can be read, this "
            f"sentence has {len(tokens):,} tokens"
        )


def _label_words(axis, tokens, unknown):
    """Labels an axis with words, those that a run does not know in grey."""
    size = 8 if len(tokens) <= 30 else 6 if len(tokens) <= 70 else 4
    axis.set_ticks(range(len(tokens)), [_shorten(token) for token in tokens])
    for tick, token in zip(axis.get_major_ticks(), tokens, strict=True):
        label = tick.label1  # also of a tick that does not show it yet
        label.set_fontsize(size)
        label.set_parse_math(False)  # a `$` is a `$`
        if token in unknown:
            label.set_color(GREY)
        if axis.axis_name == "x":
            label.set_rotation(90)


def _explain_grey_words(figure, tokens, unknown):
    """Adds a line below a figure that has grey words."""
    if set(tokens) & set(unknown):
        figure.supxlabel(
            "grey words are unknown to the run: all read as one word",
            fontsize=8,
            color=GREY,
        )


def _shorten(token):
    token = escape_controls(token)
    return token if len(token) <= LONGEST_LABEL else f"{token[:LONGEST_LABEL]}…"


def _map_inches(words):
    """The side of a map that has room for so many words."""
    return min(max(3.2, 0.14 * words + 1.2), 10)
