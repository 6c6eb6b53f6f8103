import numpy as np
import pytest

from dsa.models.disan.blocks import RawFusionGate
from dsa.models.dsa.fusion_gate import FusionGate
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


GATES = {  # factory, and whether the gate mixes the raw inputs
    "projected": (lambda **k: FusionGate(D, **k), False),
    "projected without LN": (lambda **k: FusionGate(D, layer_norm=False, **k), False),
    "raw": (lambda **k: FusionGate(D, mixes="raw", **k), True),
    "normalized": (lambda **k: FusionGate(D, mixes="normalized", **k), True),
    "DiSAN's": (lambda **k: RawFusionGate(biases=1, **k), True),
}


@pytest.mark.parametrize("name", GATES)
def test_it_matches_the_equation(name):
    tokens, context = rand(B, L, D), rand(B, L, D, seed=1)
    make, raw = GATES[name]
    layer = make()
    layer(tokens, context)
    randomize(layer)
    output, values = layer(tokens, context, return_gate=True)
    expected, expected_values = equations.fusion_gate(
        tokens.astype(np.float64),
        context.astype(np.float64),
        weights_of(layer),
        raw=raw,
    )
    np.testing.assert_allclose(numpy_of(output), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(numpy_of(values), expected_values, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("raw", [FusionGate(D, 0, False, "raw"), RawFusionGate(1)])
def test_both_gates_have_the_same_weights_and_differ(raw):
    tokens, context = rand(B, L, D), rand(B, L, D, seed=1)
    projected = FusionGate(D, layer_norm=False)
    projected(tokens, context), raw(tokens, context)
    assert projected.count_params() == raw.count_params() == 2 * D * D + D
    raw.set_weights(projected.get_weights())
    difference = numpy_of(projected(tokens, context)) - numpy_of(raw(tokens, context))
    assert np.abs(difference).max() > 0.1


def test_an_open_gate_selects_the_token_and_a_closed_gate_the_context():
    tokens, context = rand(B, L, D), rand(B, L, D, seed=1)
    layer = RawFusionGate()
    layer(tokens, context)
    for bias, expected in ((1e4, tokens), (-1e4, context)):
        layer.bias.assign(np.full(D, bias, np.float32))
        np.testing.assert_allclose(
            numpy_of(layer(tokens, context)), expected, atol=1e-6
        )


@pytest.mark.parametrize(
    ("make", "weights"),
    [
        (GATES["projected"][0], 7),
        (GATES["projected without LN"][0], 3),
        (GATES["raw"][0], 7),
        (GATES["normalized"][0], 11),
        (GATES["DiSAN's"][0], 3),
        (RawFusionGate, 5),
    ],
)
def test_it_is_a_layer(make, weights):
    check_layer(make, rand(B, L, D), rand(B, L, D, seed=1), weights=weights)


@pytest.mark.parametrize(
    ("make", "weights"),
    [
        (lambda **k: FusionGate(D, dropout=0.5, seed=1, **k), 7),
        (lambda **k: RawFusionGate(dropout=0.5, seed=1, **k), 5),
    ],
)
def test_dropout_is_active_in_training_only(make, weights):
    check_layer(make, rand(B, L, D), rand(B, L, D, seed=1), weights=weights)


def test_a_raw_gate_requires_inputs_with_its_number_of_units():
    with pytest.raises(ValueError, match="units=5, tokens of shape"):
        FusionGate(5, mixes="raw")(rand(B, L, D), rand(B, L, D))


def test_an_unknown_mixture_is_an_error():
    with pytest.raises(ValueError, match="`mixes` must be one of .*'both'"):
        FusionGate(D, mixes="both")
