"""Figures of numbers by word, such as gates and pooling weights."""

import textwrap

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.plots import COLORS, MAP, MARKERS, add_legend
from dsa.analysis.word_labels import (
    check_readable_length,
    label_words,
    say_what_grey_words_are,
)

LETTERS_PER_LINE = 26  # of a panel's name
LARGEST_FEATURES = 40
LEAST_SPREAD = (
    0.25  # of the largest number: below it, words differ too little from 0 on
)
ALARM = "#D55E00"  # Okabe and Ito's vermilion


def draw_feature_weights(runs, title=None):
    """The largest weights of each run feature by feature, falling: a strip of colours
    for each row, on one scale. The rows of a run have the same features.

    Args:
        runs: `{run name: {row name: (S,)}}`, weights from 0.
        title: over the whole figure.

    Example:
        >>> rows = {"a dog": np.array([0.1, 0.5]), "the dog": np.array([0.3, 0.2])}
        >>> figure = draw_feature_weights({"dsa": rows})
        >>> [label.get_text() for label in figure.axes[1].get_xticklabels()]
        ['1', '0']
    """
    strips = []
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
        image = axes.imshow(
            weights[None], cmap=MAP, vmin=0, vmax=highest, aspect="auto"
        )
        axes.set_title(name, fontsize=9, parse_math=False)
        axes.set_yticks([])
        axes.set_xticks(range(len(features)), features, fontsize=6, rotation=90)
    shown, of = len(strips[0][2]), len(next(iter(next(iter(runs.values())).values())))
    grid[-1].set_xlabel(
        f"feature, by falling weight: the {shown} largest of {of}", fontsize=8
    )
    bar = figure.colorbar(image, ax=grid.tolist())
    bar.set_label("weight", fontsize=8)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_word_panels(tokens, runs, title=None, unknown=()):
    """Numbers by word, such as gates and pooling weights: one panel for each, with a
    mark for each run. Each panel has its own scale. It starts at 0, and where words
    differ too little for that, the panel says that it does not.

    Args:
        tokens: L texts.
        runs: `{run name: {panel name: (L,)}}`, see `dsa.analysis.views.word_numbers`.
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
        label_words(axes.xaxis, tokens, unknown)
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
    say_what_grey_words_are(figure, tokens, unknown)
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
            "this scale does not start at 0",
            fontsize=8,
            fontweight="bold",
            color=ALARM,
        )
        return
    room = 0.08 * (max(high, 0) - min(low, 0)) or 1
    bottom = low - room if low < 0 else 0
    axes.set_ylim(bottom, 0 if bottom < 0 and high <= 0 else high + room)
