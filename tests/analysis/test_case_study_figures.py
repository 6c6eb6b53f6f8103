"""Figures of runs beside each other."""

import numpy as np

from dsa.analysis import case_study
from dsa.analysis.case_study import draw_case_study
from dsa.explanation import Explanation, MapKind, TokenMap


def test_windows_of_other_widths_have_a_figure_of_their_own(monkeypatch):
    """As of two ABCNNs: the tokens of one are no labels of the other."""
    drawn = []

    def draw(view, title):
        drawn.append((view.tokens, list(view.panels)))

    monkeypatch.setattr(case_study.word_plots, "draw_attention_maps", draw)
    kind, looks = MapKind.TOKEN_OVER_TOKEN, {}
    for run, letters in (("a", "xyz"), ("b", "wxyz"), ("c", "xyz")):
        size = len(letters)
        attention = TokenMap("attention", kind, np.ones((size, size)) / size)
        looks[run] = Explanation.build([attention], {"sentence": list(letters)})
    monkeypatch.setattr(case_study, "_tokens", lambda look: ("x", "y", "z"))
    figures = dict(draw_case_study({run: {"": look} for run, look in looks.items()}))
    assert list(figures) == ["attention_1", "attention_2"]
    assert [tokens for tokens, _ in drawn] == [tuple("xyz"), tuple("wxyz")]
    assert [len(panels) for _, panels in drawn] == [2, 1]
