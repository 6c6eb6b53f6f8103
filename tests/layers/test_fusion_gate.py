import numpy as np
import pytest

from dsa.layers.fusion_gate import FusionGate, RawFusionGate
from tests.support import equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D = 2, 5, 7


@pytest.mark.parametrize("gate", [FusionGate, RawFusionGate])
@pytest.mark.parametrize("layer_norm", [True, False])
def test_it_matches_the_equation(gate, layer_norm):
    tokens, context = rand(B, L, D), rand(B, L, D, seed=1)
    layer = gate(D, layer_norm=layer_norm)
    layer(tokens, context)
    randomize(layer)
    output, values = layer(tokens, context, return_gate=True)
    expected, expected_values = equations.fusion_gate(
        tokens.astype(np.float64),
        context.astype(np.float64),
        weights_of(layer),
        raw=gate is RawFusionGate,
    )
    np.testing.assert_allclose(numpy_of(output), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(numpy_of(values), expected_values, rtol=1e-4, atol=1e-5)


def test_both_gates_have_the_same_weights_and_differ():
    tokens, context = rand(B, L, D), rand(B, L, D, seed=1)
    projected, raw = FusionGate(D), RawFusionGate(D)
    projected(tokens, context), raw(tokens, context)
    assert projected.count_params() == raw.count_params() == 2 * D * D + D + 4 * D
    raw.set_weights(projected.get_weights())
    difference = numpy_of(projected(tokens, context)) - numpy_of(raw(tokens, context))
    assert np.abs(difference).max() > 0.1


def test_an_open_gate_keeps_the_token_and_a_closed_one_takes_the_context():
    tokens, context = rand(B, L, D), rand(B, L, D, seed=1)
    layer = RawFusionGate(D)
    layer(tokens, context)
    for bias, expected in ((1e4, tokens), (-1e4, context)):
        layer.bias.assign(np.full(D, bias, np.float32))
        np.testing.assert_allclose(
            numpy_of(layer(tokens, context)), expected, atol=1e-6
        )


@pytest.mark.parametrize("gate", [FusionGate, RawFusionGate])
def test_it_is_a_layer(gate):
    inputs = rand(B, L, D), rand(B, L, D, seed=1)
    check_layer(lambda **k: gate(D, **k), *inputs, weights=7)


def test_a_raw_gate_refuses_inputs_of_another_size():
    with pytest.raises(ValueError, match="units=5, tokens of shape"):
        RawFusionGate(5)(rand(B, L, D), rand(B, L, D))
