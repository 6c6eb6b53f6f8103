"""Figure of `docs/scaling.md`: time and memory as functions of the input size."""

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from dsa.analysis.style import COLORS, GREY, LINES, MARKERS, WIDTH, in_style
from dsa.system.reading import read_json_object

NUMBERS = "results/benchmarks/cost.json"
# Labels of the curves by series.
STEPS = {
    "training, words": "words of each sentence",
    "training, batch": "pairs of the step",
}
READING = {"evaluation, words": "a pair, evaluated", "encoding, words": "a sentence"}
FILES = {"preparation, pairs": "reading and tokenizing"}
MEMORY = {
    "training, words": "training, words",
    "training, batch": "training, pairs",
    "training, vocabulary": "training, vocabulary",
    "preparation, pairs": "preparation, pairs",
}
GIBIBYTE = 2**30
LEGEND_SPACE = 6  # factor of the y limit, so that the legend is above the curves


@in_style
def draw_cost(checkout):
    """Draws four panels with logarithmic axes, where power laws are straight lines.

    Args:
        checkout: folder that contains `results/`.
    """
    series = read_json_object(checkout / NUMBERS)["series"]
    figure = Figure((WIDTH, 6.4), layout="constrained")
    (steps, reading), (files, memory) = figure.subplots(2, 2)
    _draw_times(steps, series, STEPS, 1e3)
    steps.set(title="A training step", ylabel="milliseconds", xlabel="words or pairs")
    _draw_times(reading, series, READING, 1e3)
    reading.set(
        title="Evaluation and encoding",
        ylabel="milliseconds",
        xlabel="words of each sentence",
    )
    _draw_times(files, series, FILES, 1, size_unit=1000)
    files.set(title="Preparation", ylabel="seconds", xlabel="thousand pairs of a file")
    for number, (name, label) in enumerate(MEMORY.items()):
        sizes = [size / series[name]["sizes"][0] for size in series[name]["sizes"]]
        values = [size / GIBIBYTE for size in series[name]["memory_bytes"]]
        memory.plot(sizes, values, label=label, **_style(number))
    memory.set(
        title="The largest memory", ylabel="GiB", xlabel="times the smallest size"
    )
    memory.set_yscale("log")
    memory.set_ylim(top=LEGEND_SPACE * memory.get_ylim()[1])
    for axes in (steps, reading, files, memory):
        _finish(axes)
    return figure


def _draw_times(axes, series, labels, factor, size_unit=1):
    """Plots `factor * seconds` against `sizes / size_unit`, with lines of slope 1."""
    for number, (name, label) in enumerate(labels.items()):
        sizes = [size / size_unit for size in series[name]["sizes"]]
        values = [factor * seconds for seconds in series[name]["seconds"]]
        axes.plot(sizes, values, label=label, **_style(number))
        ends = [values[0], values[0] * sizes[-1] / sizes[0]]
        in_proportion = "in proportion" if number == len(labels) - 1 else None
        axes.plot(
            [sizes[0], sizes[-1]], ends, ":", color=GREY, label=in_proportion, zorder=1
        )


def _style(number):
    return {
        "color": COLORS[number],
        "linestyle": LINES[number],
        "marker": MARKERS[number],
        "markersize": 4,
    }


def _finish(axes):
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        steps = (1,) if high / low > 1000 else (1, 2, 5)
        axis.set_major_locator(LogLocator(subs=steps))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_locator(NullLocator())
        axis.set_minor_formatter(NullFormatter())
    axes.grid()
    axes.legend()
