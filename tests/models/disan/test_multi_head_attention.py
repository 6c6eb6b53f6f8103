import numpy as np
import pytest
from keras import ops

from dsa.models.disan.baseline_attention import MultiHeadSelfAttention
from dsa.models.disan.positions import alternating_positions, sinusoidal_positions
from tests.support import disan_equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS, HEADS = 2, 7, 10, 15, 5


def test_it_matches_the_equations():
    x, layer = rand(B, L, D), MultiHeadSelfAttention(UNITS, HEADS)
    layer(x)
    randomize(layer)
    output, (weights,) = layer(x, return_attention=True)
    for sentence in range(B):
        expected = disan_equations.multi_head(
            x[sentence].astype(np.float64), weights_of(layer), HEADS
        )
        np.testing.assert_allclose(
            numpy_of(output)[sentence], expected, rtol=1e-4, atol=1e-4
        )
    assert weights.name == "attention"
    assert weights.values.shape == (B, HEADS, L, L)


def test_positions_are_sines_and_cosines():
    np.testing.assert_allclose(
        numpy_of(sinusoidal_positions(L, D)),
        disan_equations.positions(L, D),
        atol=1e-5,
    )


def test_alternating_positions_match_the_released_code():
    np.testing.assert_allclose(
        numpy_of(alternating_positions(L, D)),
        disan_equations.alternating_positions(L, D),
        atol=1e-5,
    )


@pytest.mark.parametrize("positions", ["halves", "alternating"])
def test_bfloat16_distinguishes_positions_above_256(positions):
    layer = MultiHeadSelfAttention(
        UNITS, HEADS, positions=positions, dtype="mixed_bfloat16"
    )
    exact = MultiHeadSelfAttention(UNITS, HEADS, positions=positions)
    x = np.zeros((1, 300, D), np.float32)
    layer(x), exact(x)
    randomize(layer)
    exact.set_weights(layer.get_weights())
    expected = numpy_of(exact(x))
    output = numpy_of(ops.cast(layer(x), "float32"))
    assert abs(output - expected)[0, 256:].max() < 0.1 * abs(expected).max()


def test_the_setting_selects_the_positions():
    x, layer = rand(1, L, D), MultiHeadSelfAttention(UNITS, HEADS)
    output = numpy_of(layer(x))
    other = MultiHeadSelfAttention(UNITS, HEADS, positions="alternating")
    other(x)
    other.set_weights(layer.get_weights())
    shift = numpy_of(sinusoidal_positions(L, D)) - numpy_of(alternating_positions(L, D))
    assert abs(numpy_of(other(x)) - output).max() > 0.01
    np.testing.assert_allclose(numpy_of(other(x + shift)), output, rtol=1e-4, atol=1e-4)


def test_the_released_initialization_has_the_range_of_one_variable():
    layer = MultiHeadSelfAttention(600, 8, initialization="released")
    layer.build((None, None, 300))
    for kernel in layer.trainable_variables:
        size = abs(numpy_of(kernel)).max()
        assert size == pytest.approx((6 / (24 * 300 + 24 * 75)) ** 0.5, rel=1e-3)


@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_tokens(fill):
    x, layer = rand(1, L, D), MultiHeadSelfAttention(UNITS, HEADS)
    alone = numpy_of(layer(x))
    longer = np.concatenate([x, np.full((1, 3, D), fill, np.float32)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded[:, :L], alone, rtol=1e-5, atol=1e-6)


def test_it_is_a_layer():
    check_layer(
        lambda **k: MultiHeadSelfAttention(UNITS, HEADS, dropout=0.1, **k),
        rand(B, L, D),
        weights=3,
    )


def test_invalid_sizes_are_errors():
    with pytest.raises(ValueError, match="units=15, heads=4"):
        MultiHeadSelfAttention(UNITS, 4)
    with pytest.raises(ValueError, match="even number of features"):
        MultiHeadSelfAttention(UNITS, HEADS)(rand(B, L, 7))


def test_unknown_options_are_errors():
    with pytest.raises(ValueError, match="`positions` must be one of .*='none'"):
        MultiHeadSelfAttention(UNITS, HEADS, positions="none")
    with pytest.raises(ValueError, match="`initialization` must be one of .*='normal'"):
        MultiHeadSelfAttention(UNITS, HEADS, initialization="normal")
