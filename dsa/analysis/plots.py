"""Figures of numbers by run or setting, as `matplotlib.figure.Figure`.

They are drawn without `pyplot`: nothing global changes, and threads do not share a
figure.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.style import COLORS, LINES, MARKERS, WIDTH, in_style


@in_style
def draw_curves(
    curves: Mapping[str, Sequence[tuple[Sequence[float], Sequence[float]]]],
    label: str,
    over: str = "steps",
    train: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
) -> Figure:
    """Draws one training curve for each run. The runs of a setting have the same color
    and marks.

    Args:
        curves: `{name of a setting: [(x, y), ...]}`.
        label: what y is.
        over: what x is.
        train: `{name of a setting: (x, y)}`, the same of the training rows, drawn as a
            pale line without marks.

    Example:
        >>> figure = draw_curves({"a": [([1, 2], [0.5, 0.7])]}, "dev accuracy")
        >>> figure.axes[0].get_ylabel()
        'dev accuracy'
    """
    train = train or {}
    legend_height = 0.2 * (len(curves) + len(train))
    figure = Figure((WIDTH, 3.5 + legend_height), layout="constrained")
    axes = figure.subplots()
    first_lines = {}
    for number, (name, runs) in enumerate(curves.items()):
        for x, y in runs:
            (line,) = axes.plot(
                x,
                y,
                color=COLORS[number % len(COLORS)],
                linestyle=LINES[number // len(COLORS) % len(LINES)],
                marker=MARKERS[number % len(MARKERS)],
                markersize=4,
            )
            first_lines.setdefault(name, line)
    for number, name in enumerate(curves):
        if name in train:
            color = COLORS[number % len(COLORS)]
            (line,) = axes.plot(*train[name], color=color, alpha=0.45)
            first_lines[f"{name}, in training"] = line
    axes.set_xlabel(over)
    axes.set_ylabel(label, parse_math=False)
    add_legend(figure, first_lines.values(), first_lines)
    return figure


@in_style
def draw_accuracy_by_length(
    lengths: np.ndarray,
    rows: Sequence[Mapping[str, Any]],
    title: str | None = None,
    what: str = "pairs",
) -> Figure:
    """Draws the distribution of lengths, and each run's accuracy by length, with 95 %
    Wilson intervals and the number of pairs of each bucket.

    These are figures 5 and 6 of Im & Cho 2017, and for sentences figure 5 of Shen et
    al. 2018.

    Args:
        lengths: `(N,)`, tokens.
        rows: of `dsa.analysis.accuracy_by_length.measure_by_length`.
        title: over the whole figure.
        what: what the rows are, "pairs" or "sentences".
    """
    figure = Figure(
        (WIDTH, 3.6 + 0.2 * len({row["run"] for row in rows})), layout="constrained"
    )
    left, right = figure.subplots(1, 2, width_ratios=(1, 2))
    edges = np.arange(0, np.ceil(lengths.max(initial=1)) + 2, 1)
    left.hist(lengths, bins=edges, color=COLORS[0])
    of = "average length of a pair" if what == "pairs" else "length"
    left.set_xlabel(f"{of}, tokens")
    left.set_ylabel(what)
    left.set_yscale("log")

    rows = [row for row in rows if row["bucket"] != "all"]
    names = list(dict.fromkeys(row["bucket"] for row in rows))
    runs = list(dict.fromkeys(row["run"] for row in rows))
    marks = []
    for number, run in enumerate(runs):
        measured = [row for row in rows if row["run"] == run and row["pairs"]]
        shift = (number - (len(runs) - 1) / 2) * 0.12
        places = [names.index(row["bucket"]) + shift for row in measured]
        accuracy = np.array([100 * row["accuracy"] for row in measured])
        low = np.array([100 * row["low"] for row in measured])
        high = np.array([100 * row["high"] for row in measured])
        mark = right.errorbar(
            places,
            accuracy,
            [accuracy - low, high - accuracy],
            fmt=MARKERS[number % len(MARKERS)],
            color=COLORS[number % len(COLORS)],
        )
        marks.append(mark)
    counts = {row["bucket"]: row["pairs"] for row in rows}
    labels = [f"{name}\n{counts[name]:,}" for name in names]
    right.set_xticks(range(len(names)), labels)
    right.grid(axis="y")
    average = "average " if what == "pairs" else ""
    right.set_xlabel(f"{average}length, tokens; below it the number of {what}")
    right.set_ylabel("accuracy, per cent")
    add_legend(figure, marks, runs)  # Matplotlib leaves out labels that begin with _
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


@in_style
def draw_robustness(
    points: Sequence[Mapping[str, Any]], title: str | None = None
) -> Figure:
    """Draws accuracy by test set, with 95 % intervals, beside the accuracy of always
    answering the most frequent label.

    Args:
        points: a list of dictionaries: `name`, `count`, `accuracy`, its interval `low`
            and `high`, `majority`, and `argmax`, the accuracy by the most probable of
            three labels on a set with two, else `None`.
        title: over the whole figure.

    Example:
        >>> point = {"name": "HANS", "count": 9, "accuracy": 0.5, "low": 0.4}
        >>> point |= {"high": 0.6, "majority": 0.5, "argmax": None}
        >>> draw_robustness([point]).axes[0].get_xlabel()
        'accuracy, per cent'
    """
    figure = Figure((WIDTH, 1.6 + 0.28 * len(points)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(points))
    accuracy, low, high, majority = (
        np.array([100 * point[key] for point in points])
        for key in ("accuracy", "low", "high", "majority")
    )
    axes.errorbar(
        accuracy,
        places,
        xerr=[accuracy - low, high - accuracy],
        fmt="o",
        color=COLORS[0],
        label="accuracy, 95 % interval",
    )
    axes.plot(
        majority, places, "|", color="0.5", markersize=10, label="most frequent label"
    )
    two_way = [
        place for place, point in enumerate(points) if point["argmax"] is not None
    ]
    if two_way:
        argmax = [100 * points[place]["argmax"] for place in two_way]
        axes.plot(argmax, two_way, "D", color=COLORS[1], label="two labels by argmax")
    names = [f"{point['name']} (n = {point['count']:,})" for point in points]
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.grid(axis="x")
    axes.set_xlabel("accuracy, per cent")
    add_legend(figure, *axes.get_legend_handles_labels())
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


def add_legend(
    figure: Figure,
    marks: Iterable[Any],
    runs: Iterable[str],
    place: str = "lower center",
) -> None:
    """Adds a legend below a figure, or at its "upper center": the mark of each run."""
    outside: Any = f"outside {place}"
    legend = figure.legend(list(marks), list(runs), loc=outside)
    for text in legend.get_texts():
        text.set_parse_math(False)  # a `$` is a `$`
