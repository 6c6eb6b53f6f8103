"""Accuracy on sets that show what a model has learned besides its corpus."""

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis.plots import COLORS, add_legend


def draw_robustness(points, title=None):
    """Accuracy by set, with 95 % intervals, beside that of the most frequent label.

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
    figure = Figure((8, 1.6 + 0.28 * len(points)), layout="constrained")
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
        capsize=3,
        label="accuracy, 95 % interval",
    )
    axes.plot(
        majority, places, "|", color="0.5", markersize=10, label="most frequent label"
    )
    two_way = [place for place in places if points[place]["argmax"] is not None]
    if two_way:
        argmax = [100 * points[place]["argmax"] for place in two_way]
        axes.plot(argmax, two_way, "D", color=COLORS[1], label="two labels by argmax")
    names = [f"{point['name']} (n = {point['count']:,})" for point in points]
    axes.set_yticks(places, names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("accuracy, per cent")
    add_legend(figure, *axes.get_legend_handles_labels())
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure
