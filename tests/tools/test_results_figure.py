"""The figure of models trained alike."""

from pathlib import Path

from tools.docs_tables.pivot import describe_mean, list_rows
from tools.results_figure import draw_models

CHECKOUT = Path(__file__).parents[2]


def test_each_model_has_its_mean_its_interval_and_its_seeds():
    rows = list_rows("alike", CHECKOUT)
    (axes,) = draw_models(rows).axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == [row.label for row in rows]
    for row, bar in zip(rows, axes.containers, strict=True):
        mean, interval = describe_mean(row.values("dev.accuracy"))
        (dot, (left, right), _) = bar
        shown = [line.get_xdata()[0] / 100 for line in (dot, left, right)]
        assert (
            shown == [mean, *interval]
            or max(abs(a - b) for a, b in zip(shown, [mean, *interval], strict=True))
            < 1e-9
        )
    seeds = [line for line in axes.lines if line.get_label() == "a seed"]
    assert len(seeds) == len(rows)
    assert list(seeds[0].get_xdata()) == [
        100 * v for v in rows[0].values("dev.accuracy")
    ]


def test_the_papers_numbers_are_hollow_and_the_share_is_named():
    (axes,) = draw_models(list_rows("alike", CHECKOUT)).axes
    hollow = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
    assert sorted(line.get_xdata()[0] for line in hollow) == [85.62, 86.0, 86.3, 87.3]
    assert "40,000 pairs, 7 %" in axes.get_xlabel()
