import numpy as np
import pytest

from dsa.errors import InputError
from dsa.explanation import Explanation, MapKind, TokenMap
from dsa.inference.page.page_words import name_maps, write_maps, write_numbers

HEADS = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
WEIGHTS = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.1, 0.9]]])  # (2, 2, 2)


def explain(tokens=("A", "<b>"), weights=WEIGHTS):
    maps = [
        TokenMap("attention", HEADS, weights, "forward"),
        TokenMap("gate", MapKind.TOKEN, np.linspace(0, 1, len(tokens)), "forward"),
    ]
    return Explanation.build(maps, {"sentence": tokens}, unknown=tokens[:1])


def test_the_maps_are_named_by_direction_and_head():
    assert name_maps(explain()) == (["forward"], ["average", "1", "2"])


@pytest.mark.parametrize(
    "head, of_words, average",
    [
        ("1", ["1000 0", "500 500"], "750 250"),
        ("average", ["500 500", "300 700"], "400 600"),
    ],
)
def test_a_word_has_the_weights_of_what_it_looks_at(head, of_words, average):
    text = write_maps(explain(), "forward", head)
    assert f'class="map" data-weights="{average}"' in text
    for number, weights in enumerate(of_words):
        assert f'data-key="sentence-{number}" data-weights="{weights}"' in text
    assert '<span class="unknown" tabindex' in text


def test_the_words_of_another_sentence_have_a_line_of_their_own():
    kind, weights = MapKind.TOKEN_OVER_TOKEN, np.array([[0.25, 0.75, 0.0]])
    one = TokenMap("alignment", kind, weights, sentence="premise", over="hypothesis")
    tokens = {"premise": ["Cats"], "hypothesis": ["Two", "cats", "."]}
    text = write_maps(Explanation.build([one], tokens), "alignment", "average")
    looks, seen = text.split('class="words seen"')
    assert 'data-key="premise-0" data-weights="250 750 0"' in looks
    assert "Cats" in looks and "data-key" not in seen
    assert 'data-percent="75%">cats<' in seen


def test_a_map_of_too_many_words_is_refused():
    look = explain(["word"] * 121, np.ones((1, 121, 121)))
    with pytest.raises(InputError, match="at most 120 words"):
        write_maps(look, "forward", "average")


def test_a_number_is_a_share_between_the_smallest_and_the_largest():
    text = write_numbers(explain())
    assert "gate, forward: 0.000 (white) to 1.000 (orange)" in text
    assert 'title="1.0000" style="--share: 1.000">&lt;b&gt;<' in text
