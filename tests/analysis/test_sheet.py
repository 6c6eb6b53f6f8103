"""The sheet of a case study."""

import numpy as np
import pytest

from dsa.analysis.sheet import collect_word_weights, draw_sheet
from dsa.errors import InputError
from dsa.explanation import Explanation, MapKind, TokenMap

TOKENS = {"premise": ["a", "man", "sleeps"], "hypothesis": ["he", "dreams"]}


def explain_a_pair(answer=None):
    maps = []
    for sentence, other in (("premise", "hypothesis"), ("hypothesis", "premise")):
        length, size = len(TOKENS[sentence]), len(TOKENS[other])
        by_head = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        over = MapKind.TOKEN_OVER_TOKEN
        maps += [
            TokenMap(
                "attention", by_head, np.ones((5, length, length)), sentence=sentence
            ),
            TokenMap(
                "alignment",
                over,
                np.ones((length, size)) / size,
                sentence=sentence,
                over=other,
            ),
            TokenMap(
                "pooling", MapKind.TOKEN, np.ones(length) / length, sentence=sentence
            ),
            TokenMap("gate", MapKind.TOKEN, np.full(length, 0.9), sentence=sentence),
        ]
    look = Explanation.build(maps, TOKENS, answer)
    return {sentence: look.of(sentence) for sentence in TOKENS}


def test_each_sentence_has_its_shares_and_its_maps_without_heads():
    figure = draw_sheet({"dsa": explain_a_pair(("neutral",))})
    titles = [part.axes[0].get_title() for part in figure.subfigs]
    parts = ("weight of each word", "attention", "alignment")
    assert titles == [f"{sentence}, {part}" for sentence in TOKENS for part in parts]
    assert figure.get_suptitle() == "dsa answers neutral"
    (image,) = figure.subfigs[2].axes[0].images
    assert image.get_clim() == (0, 1)


def test_two_runs_are_beside_each_other():
    figure = draw_sheet({"A": explain_a_pair(), "B": explain_a_pair()})
    band, attention, *_ = figure.subfigs
    rows = [label.get_text() for label in band.axes[0].get_yticklabels()]
    assert rows == ["pooling: A", "pooling: B"]
    titles = [axes.get_title() for axes in attention.axes if axes.get_title()]
    assert titles == ["premise, attention: A", "premise, attention: B"]
    assert figure.get_suptitle() == ""


def test_weights_are_numbers_that_sum_to_1_or_all_where_none_does():
    numbers = collect_word_weights({"dsa": explain_a_pair()["premise"]})
    assert list(numbers) == ["pooling"]
    gate = TokenMap("gate", MapKind.TOKEN, np.array([-0.5, 0.5]))
    look = Explanation.build([gate], {"sentence": ["a", "man"]})
    assert list(collect_word_weights({"dsa": look})) == ["gate"]
    (image,) = draw_sheet({"dsa": {"": look}}).subfigs[0].axes[0].images
    assert image.get_clim() == (-0.5, 0.5)


def test_there_is_no_sheet_of_a_model_that_shows_nothing():
    look = Explanation.build([], {"sentence": ["a", "man"]})
    assert draw_sheet({"bcnn": {"": look}}) is None


def test_runs_that_split_a_text_otherwise_are_refused():
    other = explain_a_pair()
    other["premise"] = other["hypothesis"]
    with pytest.raises(InputError, match="tokens of the runs must be equal"):
        draw_sheet({"A": explain_a_pair(), "B": other})
