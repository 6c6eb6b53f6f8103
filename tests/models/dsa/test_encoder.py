import keras
import numpy as np
import pytest

from dsa.models.dsa.encoder import DSAEncoder
from tests.support import equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    values_by_name,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS, HEADS = 2, 7, 5, 6, 3
VARIANTS = [
    {},
    {"layer_norm": False},
    {"pooling": "max"},
    {"pooling": "source2token"},
    {"alpha": 0},
    {"directions": False},
    {"feed_forward": False},
]


def encoder(**arguments):
    return DSAEncoder(**{"units": UNITS, "heads": HEADS, **arguments})


@pytest.mark.parametrize(
    "variant", [{}, {"directions": False}, {"feed_forward": False}]
)
def test_it_matches_the_equations_of_the_paper(variant):
    x, layer = rand(B, L, D), encoder(alpha=0.7, **variant)
    layer(x)
    randomize(layer)
    for sentence in range(B):
        expected = equations.encoder(
            x[sentence].astype(np.float64),
            weights_of(layer),
            HEADS,
            alpha=0.7,
            directional=variant.get("directions", True),
        )
        np.testing.assert_allclose(
            numpy_of(layer(x))[sentence], expected, rtol=2e-4, atol=2e-5
        )


def test_attention_maps_of_symbolic_inputs_are_an_error():
    with pytest.raises(ValueError, match="`return_attention=True` requires tensors"):
        encoder()(keras.Input((L, D)), return_attention=True)


def test_0_hidden_units_are_an_error():
    with pytest.raises(ValueError, match="positive integer"):
        encoder(hidden_units=0)(rand(B, L, D))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("extra", [1, 4])
def test_padding_does_not_change_the_sentence(variant, extra):
    x, layer = rand(1, L, D), encoder(**variant)
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.concatenate([x, 100 * rand(1, extra, D, seed=3)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + extra)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [1, 2])
def test_very_short_sentences_have_a_finite_vector(length):
    vector = numpy_of(encoder()(rand(B, length, D)))
    assert vector.shape == (B, 4 * UNITS)
    assert np.isfinite(vector).all()


def test_word_order_matters():
    x, layer = rand(1, L, D), encoder()
    forward, backward = numpy_of(layer(x)), numpy_of(layer(x[:, ::-1].copy()))
    assert np.abs(forward - backward).max() > 0.01


def test_the_maps_have_names_and_shapes():
    x = rand(B, L, D)
    layer = encoder()
    vector, maps = layer(x, return_attention=True)
    np.testing.assert_allclose(numpy_of(vector), numpy_of(layer(x)), rtol=1e-6)
    assert {name: array.shape for name, array in values_by_name(maps).items()} == {
        "attention_forward": (B, HEADS, L, L),
        "attention_backward": (B, HEADS, L, L),
        "gate_forward": (B, L, UNITS),
        "gate_backward": (B, L, UNITS),
        "deactivated_forward": (B, L),
        "deactivated_backward": (B, L),
        "output_forward": (B, L, UNITS),
        "output_backward": (B, L, UNITS),
        "source2token": (B, L, 2 * UNITS),
        "max_pooling": (B, 2 * UNITS),
    }


def test_the_output_maps_are_the_pooled_tokens():
    layer = encoder(pooling="max")
    vector, maps = layer(rand(B, L, D), return_attention=True)
    arrays = values_by_name(maps)
    tokens = [arrays[f"output_{d}"] for d in ("forward", "backward")]
    tokens = np.concatenate(tokens, axis=-1)
    np.testing.assert_array_equal(tokens.max(axis=1), numpy_of(vector))
    winners = arrays["max_pooling"]
    np.testing.assert_array_equal(winners, tokens.argmax(axis=1))


def test_the_share_of_deactivated_units_is_computed_per_token():
    x = rand(B, L, D)
    layer = encoder()
    layer(x)
    randomize(layer)
    _, maps = layer(x, return_attention=True)
    arrays = values_by_name(maps)
    for direction in layer.directions:
        context = direction.self_attention(x)
        gated = direction.fusion_gate(x, context)
        kernel, bias = (numpy_of(w) for w in direction.feed_forward.hidden.weights)
        expected = (numpy_of(gated) @ kernel + bias <= 0).mean(axis=-1)
        assert 0 < expected.min() < expected.max() < 1
        shares = arrays[f"deactivated_{direction.direction}"]
        np.testing.assert_allclose(shares, expected, atol=1e-6)


def test_every_dropout_has_a_different_seed():
    layer = encoder(seed=5, dropout=0.5)
    layer(rand(B, L, D))
    states = [
        tuple(numpy_of(v).tolist())
        for v in layer.non_trainable_variables
        if "seed_generator" in v.path
    ]
    assert len(states) == len(set(states)) == 6


def test_the_same_seed_gives_the_same_dropout():
    x = rand(B, L, D)
    outputs = []
    for _ in range(2):
        keras.utils.set_random_seed(1)
        layer = encoder(seed=5, dropout=0.5)
        outputs.append(numpy_of(layer(x, training=True)))
    np.testing.assert_array_equal(*outputs)
    assert np.abs(outputs[0] - numpy_of(layer(x))).max() > 0.01


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_is_a_layer(variant):
    per_direction, source2token = 12 + 7 + 6, 8
    if "layer_norm" in variant:
        per_direction, source2token = 4 + 3 + 4, 4
    if variant.get("feed_forward") is False:
        per_direction -= 6
    if variant.get("pooling") == "max":
        source2token = 0
    check_layer(
        lambda **k: encoder(**variant, **k),
        rand(B, L, D),
        weights=2 * per_direction + source2token,
    )


@pytest.mark.parametrize("switch", ["gate", "pooling"])
def test_an_unknown_choice_is_an_error(switch):
    with pytest.raises(ValueError, match=f"`{switch}` must be one of"):
        encoder(**{switch: "other"})(rand(B, L, D))
