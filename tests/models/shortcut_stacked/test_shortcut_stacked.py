"""The shortcut-stacked encoder against its equations, in NumPy float64, sentence by
sentence."""

import numpy as np
import pytest

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model
from dsa.models.model_config import ModelParts
from dsa.models.shortcut_stacked.config import ShortcutStackedConfig, build_encoder
from dsa.models.shortcut_stacked.stack import ShortcutStack
from tests.support.esim_equations import bilstm
from tests.support.layer_checks import (
    check_every_weight_learns,
    check_layer,
    numpy_of,
    rand,
    randomize,
    values_by_name,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D = 2, 7, 5
LENGTHS = (7, 3)
MASK = np.arange(L)[None] < np.array(LENGTHS)[:, None]
VARIANTS = [
    {"shortcut": "residual", "units": [3, 3, 3]},
    {"shortcut": "residual", "units": [2, 2, 2, 2]},
    {"shortcut": "concatenate", "units": [2, 3, 4]},
    {"shortcut": "concatenate", "units": [3]},
]


def encoder(dtype="float32", **settings):
    config = ShortcutStackedConfig(name="shortcut_stacked", **settings)
    return build_encoder(config, ModelParts(None, None, 9, seed=1, dtype=dtype))


def encode(x, w, shortcut, units):
    """One sentence `(L, D)`: section 2.1, and the released code where it adds."""
    states = []
    for number in range(1, len(units) + 1):
        read = [x, *states]
        if shortcut == "residual" and states:
            read = [x, np.sum(states, axis=0)]
        states.append(bilstm(np.concatenate(read, axis=1), w[f"bilstm_{number}"]))
    return states[-1].max(axis=0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_matches_the_equations(variant):
    x, layer = rand(B, L, D), encoder(**variant)
    layer(x)
    randomize(layer)
    vectors = numpy_of(layer(x, mask=MASK))
    weights = weights_of(layer)["stack"]
    for sentence, length in enumerate(LENGTHS):
        words = x[sentence, :length].astype(np.float64)
        expected = encode(words, weights, **variant)
        np.testing.assert_allclose(vectors[sentence], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS[::2])
@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_sentence(variant, fill):
    x, layer = rand(1, L, D), encoder(**variant)
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.pad(x, ((0, 0), (0, 3), (0, 0)), constant_values=fill)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_is_a_layer(variant):
    check_layer(
        lambda **more: encoder(**variant, **more),
        rand(B, L, D),
        weights=6 * len(variant["units"]),
    )


def test_the_maximum_is_returned_as_a_token_map():
    layer = encoder(units=[2, 3], shortcut="concatenate")
    vector, maps = layer(rand(B, L, D), return_attention=True)
    assert {n: v.shape for n, v in values_by_name(maps).items()} == {
        "max_pooling": (B, 6)
    }
    assert vector.shape == (B, 6)


def small_experiment(corpus, **overrides):
    settings = {"embedding.path": None, "embedding.trainable": True}
    settings |= {"embedding.outside": "unknown", **overrides}
    return load_experiment(f"configs/{corpus}/shortcut_stacked.yaml", settings)


SNLI = (
    2 * 4 * 600 * (300 + 600 + 1)  # words
    + 2 * (2 * 4 * 600 * (300 + 1200 + 600 + 1))  # words and a sum of states
    + (4 * 1200 + 1) * 800
    + (800 + 1) * 3
)
MULTINLI = (
    2 * 4 * 512 * (300 + 512 + 1)
    + 2 * 4 * 1024 * (300 + 1024 + 1024 + 1)
    + 2 * 4 * 2048 * (300 + 1024 + 2048 + 2048 + 1)
    + (4 * 4096 + 1) * 1600
    + (1600 + 1) * 1600  # the second hidden layer
    + (1600 + 1) * 3
)


@pytest.mark.nightly_on_jax
@pytest.mark.usefixtures("quick_weights")
@pytest.mark.parametrize(
    ("corpus", "parameters"),
    [
        ("snli", SNLI),
        pytest.param("multinli", MULTINLI, marks=pytest.mark.slow),
    ],
)
def test_the_parameter_count_matches_a_hand_calculation(corpus, parameters):
    assert (SNLI, MULTINLI) == (28_337_603, 140_173_123)
    experiment = small_experiment(corpus)
    model = build_model(experiment, vocabulary_size=5)
    counts = [int(np.prod(v.shape)) for v in model.trainable_variables]
    assert sum(counts) - 5 * 300 == parameters


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant", [VARIANTS[0], pytest.param(VARIANTS[2], marks=pytest.mark.exhaustive)]
)
def test_every_weight_learns(variant):
    small = {f"model.{name}": value for name, value in variant.items()}
    model = build_model(small_experiment("snli", **small, **{"embedding.units": D}), 11)
    model.embedding.set_vectors(rand(11, D))
    ids = np.array([[3, 4, 5, 6], [7, 8, 9, 0], [4, 2, 10, 0]])
    inputs = {"premise": ids, "hypothesis": ids[::-1].copy()}
    check_every_weight_learns(model, inputs, [0, 1, 2])


def test_residual_shortcuts_of_different_sizes_raise_an_error():
    with pytest.raises(InputError, match=r"all 'model.units' must be equal.*\[2, 3\]"):
        small_experiment("snli", **{"model.units": [2, 3]})


def test_an_unknown_shortcut_raises_an_error():
    with pytest.raises(ValueError, match="`shortcut` must be one of"):
        ShortcutStack([3], "highway")
