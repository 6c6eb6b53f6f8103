import dataclasses

import numpy as np
import pytest

from dsa.explanation import Explanation, MapKind, TokenMap
from dsa.layers.attention_maps import replace_map_fields

H, L, K, D = 2, 3, 5, 7
TOKENS = {"premise": list("abc"), "hypothesis": list("vwxyz")}


def counted(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_a_name_consists_of_part_what_and_direction():
    one = TokenMap("word_attention", MapKind.TOKEN, None, "backward", "encoding")
    assert one.name == one.summary_name == "encoding_word_attention_backward"
    assert one.title == "word attention, encoding, backward"
    output = TokenMap("output", MapKind.TOKEN_BY_FEATURE, None, summary="max")
    assert (output.name, output.summary_name) == ("output", "largest_output")


@pytest.mark.parametrize(
    ("kind", "shape", "axis"),
    [
        (MapKind.TOKEN_OVER_TOKEN, (L, K), ()),
        (MapKind.TOKEN_OVER_TOKEN_BY_HEAD, (H, L, K), 0),
        (MapKind.TOKEN_OVER_TOKEN_BY_FEATURE, (L, K, D), 2),
    ],
)
def test_token_over_token_is_averaged_over_heads_or_features(kind, shape, axis):
    values = counted(*shape)
    one = TokenMap("attention", kind, values, sentence="premise", over="hypothesis")
    (one,) = Explanation.build([one], TOKENS).values()
    np.testing.assert_allclose(one.average(), values.mean(axis), rtol=1e-6)
    assert one.average().shape == (L, K)
    assert (one.tokens, one.looked_at) == (tuple("abc"), tuple("vwxyz"))
    assert len(one.by_head()) == (H if shape[0] == H else 0)
    with pytest.raises(ValueError, match="has no value per token"):
        one.by_token()


@pytest.mark.parametrize(
    ("kind", "values", "summary", "expected"),
    [
        (MapKind.TOKEN, [0.5, 0.25, 0], "mean", [0.5, 0.25, 0]),
        (MapKind.TOKEN_BY_FEATURE, [[1, 3], [2, 2], [9, 1]], "mean", [2, 2, 5]),
        (MapKind.TOKEN_BY_FEATURE, [[1, 3], [2, 2], [9, 1]], "max", [3, 2, 9]),
        (MapKind.WINNING_TOKEN, [0, 0, 2, 0, 2], "mean", [0.6, 0, 0.4]),
    ],
)
def test_every_other_map_has_a_value_per_token(kind, values, summary, expected):
    one = TokenMap("x", kind, np.array(values), summary=summary)
    (one,) = Explanation.build([one], {"sentence": list("abc")}).values()
    np.testing.assert_allclose(one.by_token(), expected)
    assert one.looked_at == ()


def test_only_the_names_of_maps_of_a_pair_contain_the_sentence():
    maps = [
        *replace_map_fields(
            [TokenMap("gate", MapKind.TOKEN, counted(L))], sentence="premise"
        ),
        TokenMap("gate", MapKind.TOKEN, counted(K), sentence="hypothesis"),
    ]
    pair = Explanation.build(maps, TOKENS, answer=("neutral",))
    assert list(pair) == ["premise.gate", "hypothesis.gate"]
    alone = pair.of("hypothesis")
    assert list(alone) == ["gate"] and alone.answer == ("neutral",)
    assert alone.tokens == {"hypothesis": tuple("vwxyz")}
    assert repr(pair).splitlines() == [
        "Explanation",
        "answer: ('neutral',)",
        "premise: a b c",
        "hypothesis: v w x y z",
        "  'premise.gate': <TokenMap gate: 3 token>",
        "  'hypothesis.gate': <TokenMap gate: 5 token>",
    ]


def test_the_error_of_an_unknown_name_lists_the_maps():
    one = TokenMap("gate", MapKind.TOKEN, counted(L))
    explanation = Explanation.build([one], {"sentence": list("abc")})
    assert "gates" not in explanation
    with pytest.raises(KeyError, match="no map 'gates'. Maps: gate"):
        explanation["gates"]


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (MapKind.TOKEN, (L + 1,)),
        (MapKind.TOKEN, (L, D)),
        (MapKind.TOKEN_OVER_TOKEN, (L, K)),
        (MapKind.TOKEN_OVER_TOKEN_BY_HEAD, (L, L, H)),
    ],
)
def test_an_array_that_does_not_match_its_kind_is_an_error(kind, shape):
    one = TokenMap("toy", kind, np.zeros(shape))
    with pytest.raises(ValueError, match="The map 'toy' must have the axes"):
        Explanation.build([one], {"sentence": list("abc")})


def test_a_map_over_windows_has_the_texts_of_the_windows():
    tokens = {"premise": ["a", "man", "sleeps"], "hypothesis": ["he", "rests"]}
    windows = TokenMap(
        "pooling_attention",
        MapKind.TOKEN_OVER_TOKEN,
        np.ones((4, 3)),
        sentence="premise",
        over="hypothesis",
        window=2,
    )
    one = windows.with_tokens(tokens)
    assert one.tokens == ("a", "a man", "man sleeps", "sleeps")
    assert one.looked_at == ("he", "he rests", "rests")
    with pytest.raises(ValueError, match="4 query tokens of 'premise' and 3"):
        dataclasses.replace(windows, values=np.ones((3, 2))).with_tokens(tokens)
