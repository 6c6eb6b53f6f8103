import numpy as np
import pytest
from keras import ops

from dsa.models.dsa.attention import DistanceMaskedSelfAttention
from tests.support import equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, HEADS, UNITS = 2, 7, 5, 3, 33


def attention(direction="forward", **arguments):
    return DistanceMaskedSelfAttention(UNITS, HEADS, direction, **arguments)


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("alpha", [0, 1.5])
@pytest.mark.parametrize("layer_norm", [True, False])
def test_it_matches_the_equation(direction, alpha, layer_norm):
    x = rand(B, L, D)
    layer = attention(direction, alpha=alpha, layer_norm=layer_norm)
    layer(x)
    randomize(layer)
    output, (weights,) = layer(x, return_attention=True)
    for sentence in range(B):
        expected, expected_weights = equations.self_attention(
            x[sentence].astype(np.float64), weights_of(layer), HEADS, direction, alpha
        )
        np.testing.assert_allclose(
            numpy_of(output)[sentence], expected, rtol=1e-4, atol=1e-5
        )
        np.testing.assert_allclose(
            numpy_of(weights.values)[sentence], expected_weights, rtol=1e-4, atol=1e-6
        )


@pytest.mark.parametrize(("direction", "row"), [("forward", 0), ("backward", L - 1)])
def test_the_context_is_exactly_zero_if_all_keys_are_masked(direction, row):
    layer = attention(direction)
    _, (weights,) = layer(rand(B, L, D), return_attention=True)
    assert (numpy_of(weights.values)[:, :, row] == 0).all()
    randomize(layer)  # H is then the beta of the output projection
    output = numpy_of(layer(rand(B, L, D)))[:, row]
    beta = weights_of(layer)["output_projection"]["beta"]
    np.testing.assert_array_equal(output, np.tile(beta.astype(np.float32), (B, 1)))


def test_weights_of_equal_tokens_decrease_with_distance_as_computed_by_hand():
    length = 6
    _, (weights,) = attention(alpha=1.5)(
        np.ones((1, length, D), np.float32), return_attention=True
    )
    last = numpy_of(weights.values)[0, 0, 5]
    np.testing.assert_allclose(last[4:0:-1], [0.777, 0.173, 0.039, 0.009], atol=6e-4)


def test_weights_of_equal_tokens_are_equal_without_distance_mask():
    _, (weights,) = attention(alpha=0)(
        np.ones((1, 6, D), np.float32), return_attention=True
    )
    np.testing.assert_allclose(numpy_of(weights.values)[0, 0, 5, :5], 0.2, atol=1e-6)


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("extra", [1, 4])
@pytest.mark.parametrize("scale", [100, np.nan])
def test_padding_does_not_change_the_tokens(direction, extra, scale):
    x, layer = rand(1, L, D), attention(direction)
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.concatenate([x, scale * rand(1, extra, D, seed=3)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + extra)[None] < L))
    np.testing.assert_allclose(padded[:, :L], alone, rtol=1e-5, atol=1e-6)


def test_padding_gets_no_weight_and_the_weights_of_real_tokens_sum_to_1():
    mask = np.arange(L)[None] < np.array([[4], [6]])
    _, (weights,) = attention("backward")(
        rand(B, L, D), mask=mask, return_attention=True
    )
    weights = numpy_of(weights.values)
    assert (weights[0, :, :, 4:] == 0).all()
    np.testing.assert_allclose(weights[0, :, :3].sum(-1), 1, rtol=1e-6)
    assert (weights[0, :, 3] == 0).all()  # all keys of the last real token are padding


def test_it_is_a_layer():
    check_layer(lambda **k: attention(**k), rand(B, L, D), weights=12)
    check_layer(
        lambda **k: attention(dropout=0.5, seed=1, **k), rand(B, L, D), weights=12
    )
    check_layer(
        lambda **k: attention(**k),
        rand(B, L, D),
        weights=12,
        mask=ops.convert_to_tensor(np.ones((B, L), bool)),
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((7, 2, "forward"), "divisible by `heads`. Received: units=7, heads=2"),
        ((6, 2, "up"), "`direction` must be one of .* Received: direction='up'"),
        ((6, 2, "forward", -1), "`alpha` must not be negative. Received: alpha=-1"),
    ],
)
def test_invalid_arguments_are_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        DistanceMaskedSelfAttention(*arguments)
