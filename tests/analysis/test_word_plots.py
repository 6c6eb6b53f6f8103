"""Figures of numbers by word, and how words are labelled."""

import numpy as np
import pytest

from dsa.analysis.case_study import draw_case_study, to_json
from dsa.analysis.map_views import View
from dsa.analysis.word_plots import (
    GREY,
    draw_attention_maps,
    draw_feature_weights,
    draw_word_panels,
)
from dsa.explanation import Explanation, MapKind, TokenMap

TOKENS = ["a", "zebra", "sleeps"]
WARNING = "this scale does not start at 0"


@pytest.mark.parametrize(
    ("numbers", "low", "warns"),
    [
        ([0.1, 0.5, 0.9], 0, False),
        ([0.48, 0.5, 0.52], None, True),
        ([0.5, 0.5, 0.5], 0, False),
        ([0.0, 0.0, 0.0], 0, False),
        ([-0.5, 0.5, 1.0], None, False),
    ],
)
def test_a_scale_starts_at_0_or_says_that_it_does_not(numbers, low, warns):
    runs = {"dsa": {"gate": np.array(numbers)}}
    axes = draw_word_panels(TOKENS, runs).axes[0]
    bottom, top = axes.get_ylim()
    assert (axes.get_title() == WARNING) == warns
    assert bottom < min(numbers) or bottom == 0
    assert top > max(numbers)
    assert warns == (bottom > 0)
    if low is not None:
        assert bottom == low


def test_a_scale_has_both_runs_in_it():
    runs = {"first": {"gate": np.full(3, 0.5)}, "other": {"gate": np.full(3, 0.1)}}
    assert draw_word_panels(TOKENS, runs).axes[0].get_ylim()[0] == 0


def colors(axis):
    labels = [tick.label1 for tick in axis.get_major_ticks()]
    return {label.get_text(): label.get_color() for label in labels}


def test_unknown_words_are_grey_and_the_figure_says_so():
    runs = {"dsa": {"gate": np.arange(3)}}
    figure = draw_word_panels(TOKENS, runs, unknown=("zebra",))
    view = View({"forward": np.eye(3)}, TOKENS, TOKENS, unknown=("zebra",))
    for drawn in (figure, draw_attention_maps(view)):
        labels = colors(drawn.axes[0].xaxis)
        assert labels["zebra"] == GREY != labels["a"]
        assert "unknown to the run" in drawn.get_supxlabel()
    assert colors(drawn.axes[0].yaxis)["zebra"] == GREY
    assert draw_word_panels(TOKENS, runs).get_supxlabel() == ""


def test_a_case_study_names_the_unknown_words():
    kinds = {"gate": MapKind.TOKEN, "near": MapKind.TOKEN_OVER_TOKEN}
    maps = [TokenMap(what, kind, np.eye(3)[0]) for what, kind in kinds.items()][:1]
    maps.append(TokenMap("near", MapKind.TOKEN_OVER_TOKEN, np.eye(3)))
    look = Explanation.build(maps, {"sentence": TOKENS}, unknown=["zebra"])
    assert look.of("sentence").unknown == ("zebra",)
    assert "unknown: zebra" in repr(look)
    assert '"unknown": [\n    "zebra"\n   ]' in to_json({"run": {"": look}})
    for figure in dict(draw_case_study({"run": {"": look}})).values():
        assert "unknown to the run" in figure.get_supxlabel()


def test_the_40_largest_features_are_drawn_falling_for_all_rows_of_a_run():
    weights = np.random.default_rng(0).random((2, 97))
    rows = {"1": weights[0], "2": weights[1]}
    figure = draw_feature_weights({"dsa": rows, "other": {"3": weights[1]}})
    strips = [axes for axes in figure.axes if axes.images]
    largest = np.sort(weights.max(axis=0))[::-1][:40]
    both = np.concatenate([axes.images[0].get_array() for axes in strips[:2]])
    np.testing.assert_allclose(both.max(axis=0), largest)
    labels = [
        [int(label.get_text()) for label in axes.get_xticklabels()] for axes in strips
    ]
    np.testing.assert_array_equal(weights[0][labels[0]], both[0])
    assert labels[0] == labels[1] != labels[2]
    assert "the 40 largest of 97" in strips[-1].get_xlabel()


def test_control_characters_of_a_word_are_written_out():
    view = View({"forward": np.eye(1)}, ["a\x1b"], ["a\x1b"])
    assert "a\\x1b" in colors(draw_attention_maps(view).axes[0].xaxis)
