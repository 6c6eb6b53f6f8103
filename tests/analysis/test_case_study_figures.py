"""Figures of several runs beside each other."""

import numpy as np
import pytest

from dsa.analysis import case_study
from dsa.analysis.case_study import draw_case_study
from dsa.errors import InputError
from dsa.explanation import Explanation, MapKind, TokenMap


def explain(tokens, window=1):
    size = len(tokens) + window - 1
    weights = np.ones((size, size)) / size
    attention = TokenMap("attention", MapKind.TOKEN_OVER_TOKEN, weights, window=window)
    return Explanation.build([attention], {"sentence": tokens})


def test_windows_of_other_widths_have_a_separate_figure(monkeypatch):
    """The tokens of one ABCNN are no labels of an ABCNN with another window."""
    drawn = []

    def draw(view, title):
        drawn.append((view.tokens, list(view.panels)))

    monkeypatch.setattr(case_study.word_plots, "draw_attention_maps", draw)
    windows = {"a": 1, "b": 2, "c": 1}
    studies = {run: {"": explain("xyz", window)} for run, window in windows.items()}
    figures = dict(draw_case_study(studies))
    assert list(figures) == ["attention_1", "attention_2"]
    assert [tokens for tokens, _ in drawn] == [
        ("x", "y", "z"),
        ("x", "x y", "y z", "z"),
    ]
    assert [len(panels) for _, panels in drawn] == [2, 1]


def test_runs_with_other_tokens_are_not_drawn_beside_each_other():
    studies = {"a": {"": explain("xyz")}, "b": {"": explain("xyw")}}
    with pytest.raises(InputError, match="b splits the sentence into other tokens"):
        list(draw_case_study(studies))
