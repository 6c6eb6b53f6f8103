import numpy as np
import pytest

from dsa.models.disan.blocks import BidirectionalDiSA, DiSABlock
from dsa.models.dsa.fusion_gate import FusionGate
from tests.support import disan_equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    values_by_name,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS = 2, 5, 7, 11


@pytest.mark.parametrize("gate_biases", [1, 3])
@pytest.mark.parametrize("direction", ["forward", "backward", "others"])
def test_a_block_matches_the_equations(direction, gate_biases):
    x = rand(B, L, D)
    layer = DiSABlock(UNITS, direction, scale=2.0, gate_biases=gate_biases)
    layer(x)
    randomize(layer)
    output = numpy_of(layer(x))
    for sentence in range(B):
        expected = disan_equations.disa_block(
            x[sentence].astype(np.float64), weights_of(layer), direction, scale=2.0
        )
        np.testing.assert_allclose(output[sentence], expected, rtol=1e-4, atol=1e-4)


def test_a_block_has_the_gate_of_disan_and_not_of_dsa(monkeypatch):
    x, layer = rand(B, L, D), DiSABlock(UNITS, "forward", gate_biases=1)
    layer(x)
    randomize(layer)
    own, gate = numpy_of(layer(x)), FusionGate(UNITS, layer_norm=False)
    gate.build((None, None, UNITS), (None, None, UNITS))
    gate.set_weights(layer.fusion_gate.get_weights())
    monkeypatch.setattr(
        type(layer.fusion_gate), "call", lambda _, *x, **k: gate(*x, **k)
    )
    assert np.abs(own - numpy_of(layer(x))).max() > 0.1


@pytest.mark.parametrize("directions", [True, False])
def test_the_output_is_the_concatenation_of_both_blocks(directions):
    x = rand(B, L, D)
    layer = BidirectionalDiSA(UNITS, directions)
    layer(x)
    randomize(layer)
    output, maps = layer(x, return_attention=True)
    arrays = values_by_name(maps)
    np.testing.assert_allclose(numpy_of(output), numpy_of(layer(x)), atol=1e-6)
    w = weights_of(layer)
    for number, block in enumerate(("forward", "backward")):
        direction = block if directions else "others"
        expected = disan_equations.disa_block(
            x[0].astype(np.float64), w[block], direction
        )
        part = numpy_of(output)[0, :, number * UNITS : (number + 1) * UNITS]
        np.testing.assert_allclose(part, expected, rtol=1e-4, atol=1e-4)
        assert arrays[f"feature_attention_{block}"].shape == (B, L, L, UNITS)
        assert arrays[f"gate_{block}"].shape == (B, L, UNITS)


@pytest.mark.parametrize("directions", [True, False])
def test_word_order_matters_only_with_directions(directions):
    x, layer = rand(1, L, D), BidirectionalDiSA(UNITS, directions)
    pooled = numpy_of(layer(x)).max(axis=1)
    turned = numpy_of(layer(x[:, ::-1].copy())).max(axis=1)
    assert (np.abs(pooled - turned).max() > 0.01) == directions


@pytest.mark.parametrize("gate_biases, weights", [(1, 2 + 3 + 3), (3, 2 + 3 + 5)])
def test_they_are_layers(gate_biases, weights):
    options = {"gate_biases": gate_biases, "dropout": 0.1, "l2": 0.01}
    x = rand(B, L, D)
    check_layer(
        lambda **k: DiSABlock(UNITS, "forward", **options, **k), x, weights=weights
    )
    check_layer(
        lambda **k: BidirectionalDiSA(UNITS, **options, **k), x, weights=2 * weights
    )


def test_another_number_of_biases_is_an_error():
    with pytest.raises(ValueError, match="`biases` must be 1 or 3. Received: 2"):
        DiSABlock(UNITS, "forward", gate_biases=2)
