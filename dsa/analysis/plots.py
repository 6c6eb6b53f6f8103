"""Figures of what `dsa.analysis` computes, as `matplotlib.figure.Figure`.

They are drawn without `pyplot`: nothing global changes, and threads do not share a
figure.
"""

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.word_labels import (
    check_readable_length,
    label_words,
    say_what_grey_words_are,
)

MAP = "cividis"  # readable for colour-blind people, and in grey
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")  # Okabe and Ito's
MARKERS = "os^D"


def draw_attention_maps(view, title=None, largest=None):
    """Attention weights as maps: each row is a word, its columns where it looks.

    All panels have one colour scale.

    Args:
        view: `View`, its panels `(L, K)` in reading order.
        title: over the whole figure.
        largest: upper end of the colour scale, which begins at 0; `None` for the
            largest weight.

    Raises: `InputError` for more than `MOST_WORDS` tokens.

    Example:
        >>> from dsa.analysis.views import View
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
    image = None
    for axes, (name, weights) in zip(grid.flat, maps.items(), strict=False):
        image = axes.imshow(weights, cmap=MAP, vmin=0, vmax=largest or 1)
        axes.set_title(name, fontsize=10, parse_math=False)
        label_words(axes.xaxis, looked_at, view.unknown)
        label_words(axes.yaxis, tokens, view.unknown)
        axes.set_xlabel("looks at", fontsize=8)
        axes.set_ylabel("word", fontsize=8)
    for axes in list(grid.flat)[len(maps) :]:
        axes.set_axis_off()
    bar = figure.colorbar(image, ax=grid, shrink=0.6, aspect=30)
    bar.set_label("attention weight", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    say_what_grey_words_are(figure, [*tokens, *looked_at], view.unknown)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_accuracy_by_length(lengths, rows, title=None, what="pairs"):
    """How long the pairs are, and each run's accuracy by length, with 95 % Wilson
    intervals and the number of pairs of each bucket.

    These are figures 5 and 6 of Im & Cho 2017, and for sentences figure 5 of Shen et
    al. 2018.

    Args:
        lengths: `(N,)`, tokens.
        rows: of `dsa.analysis.accuracy_by_length.measure_by_length`.
        title: over the whole figure.
        what: what the rows are, "pairs" or "sentences".
    """
    figure = Figure((10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(2, 3))
    edges = np.arange(0, np.ceil(lengths.max(initial=1)) + 2, 1)
    left.hist(lengths, bins=edges, color=COLORS[0])
    of = "average length of premise and hypothesis" if what == "pairs" else "length"
    left.set_xlabel(f"{of}, tokens")
    left.set_ylabel(what)
    left.set_yscale("log")

    rows = [row for row in rows if row["bucket"] != "all"]
    names = list(dict.fromkeys(row["bucket"] for row in rows))
    runs = list(dict.fromkeys(row["run"] for row in rows))
    for number, run in enumerate(runs):
        measured = [row for row in rows if row["run"] == run and row["pairs"]]
        shift = (number - (len(runs) - 1) / 2) * 0.12
        places = [names.index(row["bucket"]) + shift for row in measured]
        accuracy = np.array([100 * row["accuracy"] for row in measured])
        low = np.array([100 * row["low"] for row in measured])
        high = np.array([100 * row["high"] for row in measured])
        right.errorbar(
            places,
            accuracy,
            [accuracy - low, high - accuracy],
            fmt=MARKERS[number % len(MARKERS)],
            color=COLORS[number % len(COLORS)],
            capsize=3,
            label=run,
        )
    counts = {row["bucket"]: row["pairs"] for row in rows}
    labels = [f"{name}\nn = {counts[name]:,}" for name in names]
    right.set_xticks(range(len(names)), labels, fontsize=8)
    average = "average " if what == "pairs" else ""
    right.set_xlabel(f"{average}length, tokens")
    right.set_ylabel("accuracy, per cent")
    add_legend(figure, *right.get_legend_handles_labels())
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def add_legend(figure, marks, runs):
    """A legend below a figure: the mark of each run."""
    legend = figure.legend(marks, runs, loc="outside lower center")
    for text in legend.get_texts():
        text.set_parse_math(False)  # a `$` is a `$`


def _map_inches(words):
    """The side of a map that has room for so many words."""
    return min(max(3.2, 0.14 * words + 1.2), 10)
