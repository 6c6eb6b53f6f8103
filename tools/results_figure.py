"""Draw the figure of `docs/results.md` again: models that were trained alike.

    python -m tools.results_figure

Writes results/models.png: the accuracy of each model on SNLI dev as a dot with its
95 % interval over seeds, each seed as a small dot, and what its paper reports of test
as a hollow one.
"""

import argparse
from pathlib import Path

from matplotlib.figure import Figure

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.style import COLORS, GREY, WIDTH, in_style
from dsa.data.corpora.catalogue import get_corpus
from dsa.system.command_line import command
from tools.docs_tables.trained_alike import MODELS, describe_mean, measure_all

CHECKOUT = Path(__file__).resolve().parents[1]


@in_style
def draw_models(measured):
    """Draws the figure.

    Args:
        measured: of `measure_all`, the highest mean first.
    """
    figure = Figure((WIDTH, 0.8 + 0.34 * len(measured)), layout="constrained")
    axes = figure.subplots()
    for place, one in enumerate(measured):
        mean, (low, high) = describe_mean(one.values)
        axes.errorbar(
            100 * mean,
            place,
            xerr=[[100 * (mean - low)], [100 * (high - mean)]],
            fmt="o",
            color=COLORS[0],
            label="mean, 95 % interval over seeds",
        )
        seeds = [100 * value for value in one.values.values()]
        places = [place + 0.22] * len(seeds)
        axes.plot(seeds, places, ".", color=COLORS[1], ms=5, label="a seed")
        if one.model.paper:
            source, name = one.model.paper
            axes.plot(
                source.number(name).value,
                place,
                "o",
                color=GREY,
                mfc="none",
                label="its paper: test, all pairs",
            )
    axes.set_yticks(range(len(measured)), [one.model.name for one in measured])
    axes.invert_yaxis()
    axes.grid(axis="x")
    pairs = measured[0].pairs
    share = 100 * pairs / get_corpus("snli").training_pairs
    axes.set_xlabel(
        f"SNLI dev accuracy, per cent (trained on {pairs:,} pairs, {share:.0f} %)"
    )
    lines = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(lines.values(), lines, loc="outside lower center", ncols=3)
    return figure


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    figure = draw_models(measure_all(MODELS, CHECKOUT))
    FigureFiles(dpi=150).write(figure, CHECKOUT / "results", "models")


if __name__ == "__main__":
    raise SystemExit(main())
