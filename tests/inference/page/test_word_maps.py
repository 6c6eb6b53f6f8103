import numpy as np
import pytest

from dsa.errors import InputError
from dsa.explanation import Explanation, MapKind, TokenMap
from dsa.inference.page.word_maps import list_map_names, render_maps, render_numbers

HEADS = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
WEIGHTS = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.1, 0.9]]])  # (2, 2, 2)


def explain(tokens=("A", "<b>"), weights=WEIGHTS):
    maps = [
        TokenMap("attention", HEADS, weights, "forward"),
        TokenMap("gate", MapKind.TOKEN, np.linspace(0, 1, len(tokens)), "forward"),
    ]
    return Explanation.build(maps, {"sentence": tokens}, unknown=tokens[:1])


def test_the_switches_list_directions_and_heads_of_all_runs():
    assert list_map_names([explain()]) == (["forward"], ["average", "1", "2"])
    more_heads = explain(weights=np.ones((3, 2, 2)) / 2)
    names = list_map_names([explain(), more_heads])
    assert names == (["forward"], ["average", "1", "2", "3"])


@pytest.mark.parametrize(
    "head, word_weights, average",
    [
        ("1", ["1000 0", "500 500"], "750 250"),
        ("average", ["500 500", "300 700"], "400 600"),
        ("7", ["500 500", "300 700"], "400 600"),  # a head of another run
    ],
)
def test_each_word_holds_its_attention_weights(head, word_weights, average):
    text = render_maps(explain(), "forward", head)
    assert f'class="map" data-weights="{average}"' in text
    for number, weights in enumerate(word_weights):
        assert f'data-key="sentence-{number}" data-weights="{weights}"' in text
    assert '<span class="unknown" tabindex' in text


def test_a_map_over_another_sentence_has_a_second_line():
    kind, weights = MapKind.TOKEN_OVER_TOKEN, np.array([[0.25, 0.75, 0.0]])
    alignment = TokenMap(
        "alignment", kind, weights, sentence="premise", over="hypothesis"
    )
    tokens = {"premise": ["Cats"], "hypothesis": ["Two", "cats", "."]}
    text = render_maps(Explanation.build([alignment], tokens), "alignment", "average")
    first_line, second_line = text.split('class="words seen"')
    assert 'data-key="premise-0" data-weights="250 750 0"' in first_line
    assert "Cats" in first_line and "data-key" not in second_line
    assert 'data-percent="75%">cats<' in second_line


def test_a_map_of_too_many_words_raises():
    explanation = explain(["word"] * 121, np.ones((1, 121, 121)))
    with pytest.raises(InputError, match="limited to 120 words. Received: 121 to"):
        render_maps(explanation, "forward", "average")


def test_numbers_are_scaled_between_the_smallest_and_the_largest():
    text = render_numbers(explain())
    assert "gate, forward: 0.000 (white) to 1.000 (orange)" in text
    assert 'title="1.0000" style="--share: 1.000">&lt;b&gt;<' in text
