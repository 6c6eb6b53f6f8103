"""Figure of `docs/papers/dsa.md`: dev accuracy by number of training pairs."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from dsa.analysis.style import COLORS, GREY, LINES, MARKERS, WIDTH, in_style
from dsa.papers.table_files import find_table
from tools.docs_tables.records import read_csv
from tools.learning_curves import (
    ALL_PAIRS,
    MODELS,
    VECTORS,
    fit_power_laws,
    predict_errors,
)

PAPER = ("dsa-1", "Our Distance-based Self-Attention Network")  # a table and its row
OFFSET = 1.02  # factor between the numbers of pairs of two curves


@in_style
def draw_learning_curves(path):
    """Draws the mean accuracy of each curve with its interval.

    A fitted curve is continued to all pairs of SNLI. The hollow grey dot is the test
    accuracy of DSA in the paper.

    Args:
        path: the file `learning_curves.csv`.
    """
    curves = {}
    for line in read_csv(path):
        curves.setdefault((line["vectors"], line["model"]), []).append(line)
    figure = Figure((WIDTH, 4.2), layout="constrained")
    axes = figure.subplots()
    vector_names = list(dict.fromkeys(vectors for vectors, _ in curves))
    model_names = list(dict.fromkeys(model for _, model in curves))
    sizes = {line["pairs"] for lines in curves.values() for line in lines}
    for number, ((vectors, model), lines) in enumerate(curves.items()):
        color = COLORS[vector_names.index(vectors)]
        position = model_names.index(model)
        style = {"color": color, "marker": MARKERS[position]}
        measured = [line for line in lines if line["accuracy"] != ""]
        label = f"{MODELS.get(model, model)}, {VECTORS.get(vectors, vectors)}"
        shift = OFFSET ** (number - (len(curves) - 1) / 2)
        _draw_points(axes, measured, "accuracy", shift, label=label, **style)
        if len(lines) > len(measured):
            _draw_fit(axes, measured, color, LINES[1 + position])
            _draw_points(axes, lines[-1:], "fitted", shift, mfc="none", **style)
    table, row = PAPER
    paper = find_table(table).source.find_number(row).value
    axes.plot(
        ALL_PAIRS, paper, "o", color=GREY, mfc="none", label="the paper's DSA, test"
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sorted({*sizes, ALL_PAIRS})))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda pairs, _: f"{pairs:,.0f}"))
    axes.set(xlabel="training pairs", ylabel="SNLI dev accuracy, per cent")
    axes.grid()
    axes.legend(loc="lower right")
    return figure


def _draw_points(axes, lines, key, shift, **style):
    values, lows, highs = (
        100 * np.array([line[name] for line in lines]) for name in (key, "low", "high")
    )
    errors = np.maximum([values - lows, highs - values], 0)  # a fit may lie outside
    pairs = [shift * line["pairs"] for line in lines]
    axes.errorbar(pairs, values, yerr=errors, linestyle="none", **style)


def _draw_fit(axes, measured, color, dashes):
    pairs = np.array([line["pairs"] for line in measured])
    errors = 1 - np.array([line["accuracy"] for line in measured])
    drawn = np.geomspace(pairs[0], ALL_PAIRS, 100)
    fitted = predict_errors(fit_power_laws(pairs, errors[None]), drawn)[0]
    axes.plot(drawn, 100 * (1 - fitted), linestyle=dashes, color=color, zorder=1)
