import numpy as np
import pytest

from dsa.analysis.map_views import collect_token_values, collect_views
from dsa.explanation import Explanation, MapKind, TokenMap
from tests.support.layer_checks import rand

L, K, H, D = 5, 4, 3, 7
TOKENS = {"premise": list("abcde"), "hypothesis": list("wxyz")}


def explain(*maps):
    return Explanation.build(maps, TOKENS).of("premise")


def heads(direction=None, part=None, **options):
    kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
    return TokenMap("attention", kind, rand(H, L, L), direction, part, **options)


def test_views_are_averages_and_heads_by_direction():
    look = explain(heads("forward"), heads("backward"))
    views = collect_views(look)
    assert list(views) == ["average", "heads, forward", "heads, backward"]
    assert list(views["heads, forward"].panels) == ["head 1", "head 2", "head 3"]
    assert list(views["average"].panels) == ["forward", "backward"]
    np.testing.assert_allclose(
        views["average"].panels["forward"],
        look["attention_forward"].values.mean(axis=0),
        rtol=1e-5,
    )
    assert [view.by_head for view in views.values()] == [False, True, True]
    views = collect_views(explain(heads()))
    assert list(views) == ["average", "heads"]
    assert list(views["average"].panels) == ["attention"]


def test_maps_over_another_sentence_have_views_of_their_own():
    alignment = TokenMap(
        "alignment", MapKind.TOKEN_OVER_TOKEN, rand(L, K), over="hypothesis"
    )
    views = collect_views(explain(heads(), alignment))
    assert list(views) == ["average", "heads", "alignment"]
    view = views["alignment"]
    assert view.attended_tokens == tuple("wxyz") and not view.by_head
    np.testing.assert_array_equal(view.panels["alignment"], alignment.values)


def test_maps_that_differ_only_in_kind_have_distinct_names():
    kind = MapKind.TOKEN_OVER_TOKEN
    maps = [TokenMap(what, kind, rand(L, L), "forward") for what in ("near", "far")]
    views = collect_views(explain(*maps))
    assert list(views["average"].panels) == ["near, forward", "far, forward"]
    maps = [heads(part=part) for part in ("block 1", "block 2")]
    views = collect_views(explain(*maps))
    assert list(views) == ["average", "heads, block 1", "heads, block 2"]


def test_numbers_by_word_have_directions_beside_each_other():
    kind = MapKind.TOKEN_BY_FEATURE
    maps = [
        TokenMap(what, kind, rand(L, D), direction, note=note)
        for direction in ("forward", "backward")
        for what, note in (("gate", "1: the word"), ("output", None))
    ]
    numbers = collect_token_values(explain(heads(), *maps))
    assert list(numbers) == [
        "gate, forward (1: the word)",
        "gate, backward (1: the word)",
        "output, forward",
        "output, backward",
    ]
    np.testing.assert_allclose(
        numbers["output, backward"], maps[3].values.mean(axis=1), rtol=1e-5
    )


@pytest.mark.parametrize("make", [collect_views, collect_token_values])
def test_a_model_that_shows_nothing_has_nothing_to_draw(make):
    assert make(explain()) == {}


def test_a_view_has_the_texts_of_windows():
    tokens = {"premise": ["a", "man"], "hypothesis": ["he"]}
    pooling = TokenMap(
        "pooling_attention",
        MapKind.TOKEN_OVER_TOKEN,
        np.ones((3, 2)),
        sentence="premise",
        over="hypothesis",
        window=2,
    )
    look = Explanation.build([pooling], tokens)
    (view,) = collect_views(look.of("premise")).values()
    assert (view.tokens, view.attended_tokens) == (("a", "a man", "man"), ("he", "he"))
