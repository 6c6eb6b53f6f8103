"""Draws curves and accuracies of runs as `matplotlib.figure.Figure`.

`pyplot` is not used, because its state is shared by all threads.
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
    """Draws a curve for each run, such as the dev accuracy over the steps.

    The runs of a setting have the same color and markers.

    Args:
        curves: `{setting name: [(x, y), ...]}`, one pair of sequences per run.
        label: label of the y axis.
        over: label of the x axis.
        train: `{setting name: (x, y)}`, curves on training data, drawn as pale lines
            without markers.

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
    num_lines = len(COLORS) * len(LINES)
    for number, (name, runs) in enumerate(curves.items()):
        for x, y in runs:
            (line,) = axes.plot(
                x,
                y,
                color=COLORS[number % len(COLORS)],
                linestyle=LINES[number // len(COLORS) % len(LINES)],
                # lines of the same colour and style have other markers
                marker=MARKERS[(number + number // num_lines) % len(MARKERS)],
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
    unit: str = "pairs",
) -> Figure:
    """Draws the distribution of lengths, and the accuracy of each run by length.

    The accuracies have 95 % Wilson intervals.

    Args:
        lengths: `(N,)`, number of tokens of each pair or sentence.
        rows: the rows returned by
            `dsa.analysis.accuracy_by_length.measure_by_length`.
        title: title of the figure.
        unit: "pairs" or "sentences".

    Reference: Im & Cho 2017, figures 5 and 6; Shen et al. 2018, figure 5.
    """
    runs = list(dict.fromkeys(row["run"] for row in rows))
    figure = Figure((WIDTH, 3.6 + 0.2 * len(runs)), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 2))
    edges = np.arange(0, np.ceil(lengths.max(initial=1)) + 2, 1)
    left.hist(lengths, bins=edges, color=COLORS[0])
    label = "average length of a pair" if unit == "pairs" else "length"
    left.set_xlabel(f"{label}, tokens")
    left.set_ylabel(unit)
    left.set_yscale("log")

    rows = [row for row in rows if row["bucket"] != "all"]
    buckets = list(dict.fromkeys(row["bucket"] for row in rows))
    handles = []
    for number, run in enumerate(runs):
        measured = [row for row in rows if row["run"] == run and row["pairs"]]
        shift = (number - (len(runs) - 1) / 2) * 0.12
        positions = [buckets.index(row["bucket"]) + shift for row in measured]
        accuracy = np.array([100 * row["accuracy"] for row in measured])
        low = np.array([100 * row["low"] for row in measured])
        high = np.array([100 * row["high"] for row in measured])
        handle = right.errorbar(
            positions,
            accuracy,
            [accuracy - low, high - accuracy],
            fmt=MARKERS[number % len(MARKERS)],
            color=COLORS[number % len(COLORS)],
        )
        handles.append(handle)
    counts = {row["bucket"]: row["pairs"] for row in rows}
    labels = [f"{bucket}\n{counts[bucket]:,}" for bucket in buckets]
    right.set_xticks(range(len(buckets)), labels)
    right.grid(axis="y")
    average = "average " if unit == "pairs" else ""
    right.set_xlabel(f"{average}length, tokens; below it the number of {unit}")
    right.set_ylabel("accuracy, per cent")
    # labels are passed explicitly, because `legend` omits labels with a leading _
    add_legend(figure, handles, runs)
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


@in_style
def draw_robustness(
    points: Sequence[Mapping[str, Any]], title: str | None = None
) -> Figure:
    """Draws the accuracy on each test set, with 95 % intervals and majority baseline.

    Args:
        points: a dictionary for each test set, with the keys

            - `name`: name of the test set
            - `count`: number of rows
            - `accuracy`, `low`, `high`: accuracy with its 95 % interval
            - `majority`: share of the most frequent label
            - `argmax`: accuracy of the most probable of three labels on a test set with
              two labels; `None` for other test sets
        title: title of the figure.

    Example:
        >>> point = {"name": "HANS", "count": 9, "accuracy": 0.5, "low": 0.4}
        >>> point |= {"high": 0.6, "majority": 0.5, "argmax": None}
        >>> draw_robustness([point]).axes[0].get_xlabel()
        'accuracy, per cent'
    """
    figure = Figure((WIDTH, 1.6 + 0.28 * len(points)), layout="constrained")
    axes = figure.subplots()
    positions = np.arange(len(points))
    accuracy, low, high, majority = (
        np.array([100 * point[key] for point in points])
        for key in ("accuracy", "low", "high", "majority")
    )
    axes.errorbar(
        accuracy,
        positions,
        xerr=[accuracy - low, high - accuracy],
        fmt="o",
        color=COLORS[0],
        label="accuracy, 95 % interval",
    )
    axes.plot(
        majority,
        positions,
        "|",
        color="0.5",
        markersize=10,
        label="most frequent label",
    )
    argmax_positions = []
    argmax = []
    for position, point in enumerate(points):
        if point["argmax"] is not None:
            argmax_positions.append(position)
            argmax.append(100 * point["argmax"])
    if argmax:
        label = "two labels by argmax"
        axes.plot(argmax, argmax_positions, "D", color=COLORS[1], label=label)
    names = [f"{point['name']} (n = {point['count']:,})" for point in points]
    axes.set_yticks(positions, names)
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
    handles: Iterable[Any],
    runs: Iterable[str],
    location: str = "lower center",
) -> None:
    """Adds a legend outside the axes of a figure.

    Args:
        figure: the figure.
        handles: lines or markers of the runs.
        runs: names of the runs.
        location: "lower center" for a legend below the axes, "upper center" for a
            legend above the axes.
    """
    outside: Any = f"outside {location}"
    legend = figure.legend(list(handles), list(runs), loc=outside)
    for text in legend.get_texts():
        text.set_parse_math(False)  # `$` is literal
