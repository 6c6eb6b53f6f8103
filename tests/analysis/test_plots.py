"""Figures can be written, whatever runs are called."""

import numpy as np
import pytest

from dsa.analysis import plots
from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.word_panels import draw_word_panels

NAMES = ["alpha $x_{$", r"path $\frac$", "$", "_b^c"]


@pytest.fixture
def png(tmp_path):
    """A function that writes a figure and gives the texts of its legend."""

    def write(figure):
        FigureFiles().write(figure, tmp_path, "a")
        (legend,) = figure.legends
        return [text.get_text() for text in legend.get_texts()]

    return write


def test_a_dollar_in_a_name_is_a_dollar(png):
    gates = {name: {"gate": np.array([0.4, 0.6])} for name in NAMES}
    assert png(draw_word_panels(["a", "$"], gates)) == NAMES
    shares = {"accuracy": 0.5, "low": 0.2, "high": 0.8}
    rows = [{"bucket": "1-5", "run": run, "pairs": 3, **shares} for run in NAMES]
    figure = plots.draw_accuracy_by_length(np.array([3.0, 4]), rows, NAMES[0])
    assert png(figure) == NAMES


def test_twenty_runs_have_different_lines():
    figure = plots.draw_curves({str(n): [([1, 2], [n, n])] for n in range(20)}, "dev")
    styles = {
        (line.get_color(), line.get_linestyle(), line.get_marker())
        for line in figure.axes[0].lines
    }
    assert len(styles) == 20


def test_points_have_their_intervals_and_baselines():
    point = {"name": "x", "count": 9, "accuracy": 0.5, "low": 0.2, "high": 0.6}
    (axes,) = plots.draw_robustness([{**point, "majority": 0.7, "argmax": 0.4}]).axes
    dot, _, (bar,) = axes.containers[0]
    assert dot.get_xdata() == pytest.approx([50])
    assert [x for x, _ in bar.get_segments()[0]] == pytest.approx([20, 60])
    shown = {line.get_label(): line.get_xdata()[0] for line in axes.lines}
    assert shown["most frequent label"] == pytest.approx(70)
    assert shown["two labels by argmax"] == pytest.approx(40)
    bucket = {"bucket": "1-5", "run": "a", "pairs": 3}
    bucket |= {name: point[name] for name in ("accuracy", "low", "high")}
    figure = plots.draw_accuracy_by_length(np.array([3.0]), [bucket])
    dot, _, (bar,) = figure.axes[1].containers[0]
    assert dot.get_ydata() == pytest.approx([50])
    assert [y for _, y in bar.get_segments()[0]] == pytest.approx([20, 60])
