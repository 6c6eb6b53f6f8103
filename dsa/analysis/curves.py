"""How good models were while they were trained."""

from matplotlib.figure import Figure

from dsa.analysis.plots import COLORS, MARKERS, add_legend

LINES = ("-", "--", ":", "-.")


def draw_curves(curves, label, over="steps"):
    """A line for each run; the runs of a setting have the same color and marks.

    Args:
        curves: `{name of a setting: [(places, numbers), ...]}`.
        label: what the numbers are.
        over: what the places are.

    Example:
        >>> figure = draw_curves({"a": [([1, 2], [0.5, 0.7])]}, "dev accuracy")
        >>> figure.axes[0].get_ylabel()
        'dev accuracy'
    """
    legend = 0.25 * len(curves)
    figure = Figure((7, 4 + legend), layout="constrained")
    axes = figure.subplots()
    for number, runs in enumerate(curves.values()):
        line = LINES[number // len(COLORS) % len(LINES)]
        for places, numbers in runs:
            axes.plot(
                places,
                numbers,
                color=COLORS[number % len(COLORS)],
                linestyle=line,
                marker=MARKERS[number % len(MARKERS)],
                markersize=4,
                linewidth=1,
            )
    first_lines, count = {}, 0
    for name, runs in curves.items():
        if runs:
            first_lines[name] = axes.lines[count]
        count += len(runs)
    axes.set_xlabel(over)
    axes.set_ylabel(label, parse_math=False)
    add_legend(figure, list(first_lines.values()), list(first_lines))
    return figure
