import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model
from dsa.models.dsa.attention import MultiDimensionalSelfAttention
from tests.support import equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D, UNITS = 2, 6, 5, 7


def attend(x, w, direction, alpha):
    """The equations of the docstring for a sentence `(L, D)`, in float64."""
    query, key, value = (
        equations.normalized_dense(x, w[name]) for name in ("query", "key", "value")
    )
    context, weights = np.zeros((len(x), UNITS)), np.zeros((len(x), len(x), UNITS))
    for i in range(len(x)):
        keys = range(i) if direction == "forward" else range(i + 1, len(x))
        if not keys:
            continue
        logits = np.array(
            [
                5 * np.tanh((query[i] + key[j] + w["bias"]) / 5) - alpha * abs(i - j)
                for j in keys
            ]
        )
        exp = np.exp(logits)
        weights[i, list(keys)] = exp / exp.sum(axis=0)
        context[i] = (weights[i, list(keys)] * value[list(keys)]).sum(axis=0)
    return equations.normalized_dense(context, w["output_projection"]), weights


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("alpha", [0, 1.5])
def test_it_matches_the_equations(direction, alpha):
    x, layer = rand(B, L, D), MultiDimensionalSelfAttention(UNITS, direction, alpha)
    layer(x)
    randomize(layer)
    output, (token_map,) = layer(x, return_attention=True)
    for row in range(B):
        expected, weights = attend(
            x[row].astype(np.float64), weights_of(layer), direction, alpha
        )
        np.testing.assert_allclose(numpy_of(output)[row], expected, 1e-4, 1e-5)
        np.testing.assert_allclose(numpy_of(token_map.values)[row], weights, 1e-4, 1e-6)


@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_tokens(fill):
    x, layer = rand(1, L, D), MultiDimensionalSelfAttention(UNITS, "backward")
    alone = numpy_of(layer(x))
    longer = np.concatenate([x, np.full((1, 3, D), fill, np.float32)], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded[:, :L], alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"alpha": -1}, "`alpha` must not"), ({"direction": "up"}, "`direction` must")],
)
def test_invalid_arguments_are_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        MultiDimensionalSelfAttention(
            **{"units": 4, "direction": "forward"} | arguments
        )


def test_it_is_a_layer():
    check_layer(
        lambda **k: MultiDimensionalSelfAttention(UNITS, "forward", dropout=0.1, **k),
        rand(B, L, D),
        weights=13,
    )


def test_dsa_has_a_bias_per_direction_with_multi_dimensional_attention():
    changes = {"model.attention": "multi_dimensional", "embedding.projection": 300}
    model = build_model(load_experiment("configs/snli/dsa.yaml", changes), 5)
    usual = build_model(
        load_experiment("configs/snli/dsa.yaml", {"embedding.projection": 300}), 5
    )
    # one additional bias per direction
    assert model.count_params() == usual.count_params() + 2 * 300
