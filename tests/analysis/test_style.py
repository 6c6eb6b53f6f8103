"""One style of all figures."""

import matplotlib
import pytest

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.plots import draw_curves
from dsa.analysis.style import COLORS, WIDTH

CURVES = {"a": [([1, 2], [0.5, 0.7])]}


def test_text_has_9_points_whatever_the_users_settings_are(tmp_path):
    with matplotlib.rc_context({"font.size": 31, "xtick.labelsize": 31}):
        figure = draw_curves(CURVES, "dev accuracy")
        FigureFiles().write(figure, tmp_path, "a")
        assert matplotlib.rcParams["font.size"] == 31
    (axes,) = figure.axes
    texts = [axes.yaxis.label, *axes.get_xticklabels(), *figure.legends[0].get_texts()]
    assert {text.get_fontsize() for text in texts} == {9.0}
    assert figure.get_figwidth() == WIDTH and axes.lines[0].get_color() == COLORS[0]


@pytest.mark.parametrize("format", ["png", "svg", "pdf"])
def test_the_same_figure_is_the_same_file(tmp_path, format):
    files = FigureFiles(format)
    first, other = (
        files.write(draw_curves(CURVES, "loss"), tmp_path, name).read_bytes()
        for name in "ab"
    )
    assert first == other


def test_train_is_drawn_beside_dev_in_its_color():
    figure = draw_curves(CURVES, "dev accuracy", train={"a": ([1, 2], [0.8, 0.9])})
    dev, train = figure.axes[0].lines
    assert list(train.get_ydata()) == [0.8, 0.9]
    assert train.get_color() == dev.get_color() and train.get_alpha() < 1
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["a", "a, in training"]
