"""Figures of what `dsa.analysis` computes, as `matplotlib.figure.Figure`.

They are drawn without `pyplot`: nothing global changes, and threads do not share a
figure.
"""

import textwrap

import numpy as np
from matplotlib.figure import Figure

from dsa.errors import InputError

MAP = "cividis"  # readable for colour-blind people, and in grey
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")  # Okabe and Ito's
MARKERS = "os^D"
MOST_WORDS = 120  # more labels cannot be read
LONGEST_LABEL = 20
DOTS_PER_INCH = 100
LETTERS_A_LINE = 26  # of a panel's name


def save(figure, path):
    """Write a figure as PNG, without the date in it: the same figure, the same file."""
    figure.savefig(path, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})


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
        refuse_unreadable_length(words)
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
        _label_words(axes.xaxis, looked_at)
        _label_words(axes.yaxis, tokens)
        axes.set_xlabel("looks at", fontsize=8)
        axes.set_ylabel("word", fontsize=8)
    for axes in list(grid.flat)[len(maps) :]:
        axes.set_axis_off()
    bar = figure.colorbar(image, ax=grid, shrink=0.6, aspect=30)
    bar.set_label("attention weight", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_feature_weights(rows, title=None):
    """Weights feature by feature: a strip of colours for each row, on one scale.

    Args:
        rows: `{name: (S,)}`.
        title: over the whole figure.
    """
    figure = Figure((10, 1.1 * len(rows) + 1), layout="constrained")
    grid = figure.subplots(len(rows), 1, squeeze=False, sharex=True)[:, 0]
    largest = max(float(weights.max()) for weights in rows.values())
    for axes, (name, weights) in zip(grid, rows.items(), strict=True):
        image = axes.imshow(
            weights[None], cmap=MAP, vmin=0, vmax=largest, aspect="auto"
        )
        axes.set_title(name, fontsize=9, parse_math=False)
        axes.set_yticks([])
    grid[-1].set_xlabel("feature", fontsize=8)
    bar = figure.colorbar(image, ax=grid.tolist())
    bar.set_label("weight", fontsize=8)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_word_panels(tokens, runs, title=None):
    """Numbers by word, such as gates and pooling weights: one panel for each, with a
    mark for each run. Each panel has its own scale, as words differ little.

    Args:
        tokens: L texts.
        runs: `{run name: {panel name: (L,)}}`, see `dsa.analysis.views.word_numbers`.
        title: over the whole figure.

    Example:
        >>> gate = {"gate": np.array([0.4, 0.6])}
        >>> figure = draw_word_panels(["a", "dog"], {"dsa": gate})
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['gate', '']
    """
    refuse_unreadable_length(tokens)
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
        axes.set_ylabel(textwrap.fill(name, LETTERS_A_LINE), fontsize=8)
        axes.tick_params(axis="y", labelsize=8)
        axes.set_xlim(-0.6, len(tokens) - 0.4)
        _label_words(axes.xaxis, tokens)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_axis_off()
    for axes in list(grid.flat)[: len(panels)][-2:]:  # also above a panel that is off
        axes.tick_params(axis="x", labelbottom=True)
    if len(runs) > 1:
        shown = {}  # the first panel may not have all runs
        for axes in grid.flat:
            handles, labels = axes.get_legend_handles_labels()
            shown |= dict(zip(labels, handles, strict=True))
        _write_legend(figure, shown.values(), shown)
    if title:
        figure.suptitle(title, fontsize=11, x=0.01, ha="left", parse_math=False)
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
    _write_legend(figure, *right.get_legend_handles_labels())
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def _write_legend(figure, marks, names):
    """The names of runs below a figure; a `$` is a `$`."""
    for text in figure.legend(marks, names, loc="outside lower center").get_texts():
        text.set_parse_math(False)


def refuse_unreadable_length(tokens):
    if len(tokens) > MOST_WORDS:
        raise InputError(
            f"a figure holds at most {MOST_WORDS} words that can be read, this "
            f"sentence has {len(tokens):,} tokens"
        )


def _map_inches(words):
    """The side of a map that has room for so many words."""
    return min(max(3.2, 0.14 * words + 1.2), 10)


def _label_words(axis, tokens):
    size = 8 if len(tokens) <= 30 else 6 if len(tokens) <= 70 else 4
    short = [t if len(t) <= LONGEST_LABEL else f"{t[:LONGEST_LABEL]}…" for t in tokens]
    axis.set_ticks(range(len(tokens)), short)
    for label in axis.get_ticklabels():
        label.set_fontsize(size)
        label.set_parse_math(False)
        if axis.axis_name == "x":
            label.set_rotation(90)
