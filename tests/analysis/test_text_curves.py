import pytest

from dsa.analysis.text_curves import MARKS, ROWS, format_curves
from dsa.errors import InputError


def plot_of(text):
    """The lines of the plot itself, without the numbers at its side."""
    return [line.partition("|")[2] for line in text.splitlines()[1 : ROWS + 1]]


def test_the_marks_are_where_the_numbers_are():
    text = format_curves({"a": ([0, 5, 10], [0, 15, 5])}, "loss", columns=21)
    plot = plot_of(text)  # 11 columns, 16 rows
    places = [
        (ROWS - 1 - y, line.index("o")) for y, line in enumerate(plot) if "o" in line
    ]
    assert places == [(15, 5), (5, 10), (0, 0)]
    assert sum(line.count(".") for line in plot) == 8  # between them


def test_the_numbers_at_the_sides_are_the_ends_of_the_ranges():
    curves = {"a": ([2, 4], [0.25, 0.5]), "b": ([8, 16], [0.125, 0.75])}
    lines = format_curves(curves, "dev accuracy", "epochs").splitlines()
    assert lines[0] == "dev accuracy"
    assert lines[1].startswith("    0.75 |") and lines[ROWS].startswith("   0.125 |")
    assert lines[ROWS + 2].split() == ["2", "16"]
    assert lines[ROWS + 3 :] == ["over epochs", "o a", "x b"]


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_is_wider_than_it_may_be(columns):
    curves = {"a": ([1, 100], [1, 2])}
    lines = format_curves(curves, "loss", columns=columns).splitlines()
    assert max(map(len, lines)) == columns


def test_one_evaluation_is_one_mark():
    plot = plot_of(format_curves({"a": ([3], [0.5])}, "loss"))
    assert "".join(plot).split() == ["o"]


def test_twenty_runs_have_different_marks():
    curves = {str(n): ([0, 1], [n, n]) for n in range(20)}
    legend = format_curves(curves, "loss").splitlines()[-20:]
    assert len({line[0] for line in legend}) == 20


def test_more_runs_than_marks_begin_again():
    curves = {str(n): ([0, 1], [n, n]) for n in range(len(MARKS) + 1)}
    lines = format_curves(curves, "loss").splitlines()
    assert lines[-1] == f"{MARKS[0]} {len(MARKS)}"


def test_numbers_that_are_too_far_apart_are_refused():
    with pytest.raises(
        InputError, match=r"must be finite. Received: -1.7e\+308 to 1.7"
    ):
        format_curves({"a": ([0, 1], [-1.7e308, 1.7e308])}, "loss")
