"""Figures of numbers by word, and how words are labelled."""

import numpy as np
import pytest

from dsa.analysis.case_study import draw_case_study, to_json
from dsa.analysis.map_views import View, collect_views
from dsa.analysis.style import GREY
from dsa.analysis.word_panels import draw_word_panels
from dsa.analysis.word_plots import (
    draw_attention_maps,
    draw_feature_weights,
    find_masked_keys,
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
def test_a_scale_starts_at_0_or_is_labelled(numbers, low, warns):
    runs = {"dsa": {"weight": np.array(numbers)}}
    axes = draw_word_panels(TOKENS, runs).axes[0]
    bottom, top = axes.get_ylim()
    assert (axes.get_title() == WARNING) == warns
    assert bottom < min(numbers) or bottom == 0
    assert top > max(numbers)
    assert warns == (bottom > 0)
    if low is not None:
        assert bottom == low


@pytest.mark.parametrize("name", ["gate, forward", "deactivated, backward"])
def test_gates_and_shares_have_a_scale_from_0_to_1(name):
    runs = {"dsa": {name: np.array([0.48, 0.5, 0.52])}}
    axes = draw_word_panels(TOKENS, runs).axes[0]
    assert axes.get_ylim() == (0, 1) and axes.get_title() == ""


def draw_one_map(weights, **options):
    words = [f"w{number}" for number in range(len(weights))]
    return draw_attention_maps(View({"map": weights}, words, words, **options))


def test_masked_cells_are_white_and_zero_weights_are_not():
    weights = np.tril(np.full((3, 3), 0.5), -1)
    weights[2, 0] = 0
    figure = draw_one_map(weights)
    shown = figure.axes[0].images[0].get_array()
    np.testing.assert_array_equal(shown.mask, np.triu(np.ones((3, 3), bool)))
    assert "white: masked" in figure.get_supxlabel()
    np.testing.assert_array_equal(find_masked_keys(1 - np.eye(3)), np.eye(3) == 1)
    for reachable in (np.eye(3), np.zeros((3, 3)), np.zeros((2, 3))):
        assert not find_masked_keys(reachable).any()
    assert "white" not in draw_one_map(np.ones((3, 3))).get_supxlabel()


def test_of_a_long_sentence_not_every_word_is_written():
    figure = draw_one_map(np.eye(97))
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    step = int(labels[1].removeprefix("w"))
    assert step > 1 and labels == [f"w{number}" for number in range(0, 97, step)]
    assert f"one of {step} words is labelled" in figure.get_supxlabel()
    words, runs = [f"w{n}" for n in range(97)], {"dsa": {"gate": np.ones(97)}}
    assert "words is labelled" in draw_word_panels(words, runs).get_supxlabel()


def test_the_lowest_panel_of_each_column_has_the_words():
    panels = {f"head {n}": np.eye(3) for n in range(1, 6)}
    view = View(panels, TOKENS, TOKENS, by_head=True)
    with_words = []
    for number, axes in enumerate(draw_attention_maps(view).axes[:5]):
        if [label.get_text() for label in axes.get_xticklabels()] == TOKENS:
            with_words.append(number)
    assert with_words == [2, 3, 4]  # in three columns


def test_a_scale_ends_at_the_maximum_of_the_view():
    (image,) = draw_one_map(np.eye(3) / 2, max_value=1.0).axes[0].images
    assert image.get_clim() == (0, 1)
    assert draw_one_map(np.eye(3) / 2).axes[0].images[0].get_clim() == (0, 0.5)


def test_a_scale_has_both_runs_in_it():
    runs = {"first": {"max": np.full(3, 0.5)}, "other": {"max": np.full(3, 0.1)}}
    assert draw_word_panels(TOKENS, runs).axes[0].get_ylim()[0] == 0


def test_more_runs_than_markers_are_drawn():
    runs = {str(number): {"max": np.full(3, number)} for number in range(5)}
    figure = draw_word_panels(TOKENS, runs)
    assert len(figure.axes[0].lines) == 5
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == list(runs)


def colors(axis):
    labels = [tick.label1 for tick in axis.get_major_ticks()]
    return {label.get_text(): label.get_color() for label in labels}


def test_unknown_words_are_grey_with_a_note():
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
    order = np.argsort(-weights.max(axis=0), kind="stable")[:40]
    np.testing.assert_array_equal(weights[:, order], both)
    assert "the 40 largest of 97" in strips[-1].get_xlabel()


def test_control_characters_of_a_word_are_written_out():
    view = View({"forward": np.eye(1)}, ["a\x1b"], ["a\x1b"])
    assert "a\\x1b" in colors(draw_attention_maps(view).axes[0].xaxis)


@pytest.mark.parametrize(
    ("what", "label"),
    [("alignment", "attention weight"), ("pooling_attention", "match score")],
)
def test_similarities_of_abcnn_are_match_scores(what, label):
    kind, words = MapKind.TOKEN_OVER_TOKEN, ["a", "b"]
    similarities = TokenMap(what, kind, np.eye(2), sentence="premise", over="answer")
    explanation = Explanation.build([similarities], {"premise": words, "answer": words})
    (view,) = collect_views(explanation.of("premise")).values()
    bar = draw_attention_maps(view).axes[-1]
    assert bar.get_ylabel() == label
