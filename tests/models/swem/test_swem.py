"""SWEM against its equations, in NumPy float64, window by window."""

import dataclasses

import numpy as np
import pytest

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.explanation import Explanation
from dsa.models.building import build_model
from dsa.models.model_config import ModelParts
from dsa.models.swem.config import SWEMConfig, build_encoder
from dsa.models.swem.word_pooling import average_windows
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

B, L, D, UNITS = 3, 7, 5, 6
LENGTHS = (7, 4, 2)  # more words than a window, as many, fewer
MASK = np.arange(L)[None] < np.array(LENGTHS)[:, None]
VARIANTS = [
    {"pooling": "average"},
    {"pooling": "max"},
    {"pooling": "concat"},
    {"pooling": "hierarchical", "window": 4},
    {"pooling": "hierarchical", "window": 1},
    {"pooling": "concat", "word_layer": False},
    {"pooling": "hierarchical", "window": 4, "word_layer": False},
]


def encoder(dtype="float32", **settings):
    config = SWEMConfig(name="swem", units=UNITS, **settings)
    return build_encoder(config, ModelParts(None, None, 9, seed=1, dtype=dtype))


def encode(x, w, pooling="max", window=5, word_layer=True):
    """One sentence `(L, D)`; section 3.2."""
    if word_layer:
        x = np.maximum(x @ w["word_layer"]["kernel"] + w["word_layer"]["bias"], 0)
    mean, largest = x.mean(axis=0), x.max(axis=0)
    if pooling == "hierarchical":
        begins = range(max(len(x) - window, 0) + 1)
        means = [x[begin : begin + window].mean(axis=0) for begin in begins]
        return np.max(means, axis=0)
    parts = {"average": [mean], "max": [largest], "concat": [mean, largest]}
    return np.concatenate(parts[pooling])


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_matches_the_equations(variant):
    x, layer = rand(B, L, D), encoder(**variant)
    layer(x)
    randomize(layer)
    vectors = numpy_of(layer(x, mask=MASK))
    for sentence, length in enumerate(LENGTHS):
        words = x[sentence, :length].astype(np.float64)
        expected = encode(words, weights_of(layer), **variant)
        np.testing.assert_allclose(vectors[sentence], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("fill", [100, np.nan])
@pytest.mark.parametrize("length", LENGTHS)
def test_padding_does_not_change_the_sentence(variant, fill, length):
    x, layer = rand(1, length, D), encoder(**variant)
    alone = numpy_of(layer(x, mask=np.ones((1, length), bool)))
    np.testing.assert_allclose(numpy_of(layer(x)), alone, rtol=1e-6)
    longer = np.pad(x, ((0, 0), (0, 3), (0, 0)), constant_values=fill)
    padded = numpy_of(layer(longer, mask=np.arange(length + 3)[None] < length))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS[:4])
def test_only_windows_see_the_order_of_words(variant):
    x, layer = rand(1, L, D), encoder(**variant)
    order = [3, 0, 6, 1, 5, 2, 4]
    difference = np.abs(numpy_of(layer(x)) - numpy_of(layer(x[:, order]))).max()
    assert difference > 0.01 if "window" in variant else difference < 1e-6


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_is_a_layer(variant):
    weights = 2 if variant.get("word_layer", True) else 0
    check_layer(
        lambda **more: encoder(**variant, **more), rand(B, L, D), weights=weights
    )


def test_the_word_layers_initial_bias_is_the_released_codes():
    layer = encoder()
    layer(rand(B, L, D))
    np.testing.assert_allclose(numpy_of(layer.context.dense.bias), 0.001)


def test_windows_start_at_the_first_word_and_at_every_full_window():
    begins = numpy_of(average_windows(rand(B, L, D), MASK, 4)[1])
    assert begins.sum(axis=1).tolist() == [4, 1, 1]
    assert begins[:, 0].all()


@pytest.mark.parametrize(
    ("pooling", "names"),
    [
        ("average", {"mean_pooling"}),
        ("max", {"max_pooling"}),
        ("concat", {"mean_pooling", "max_pooling"}),
        ("hierarchical", {"window_pooling"}),
    ],
)
def test_pooling_returns_named_token_maps(pooling, names):
    vector, maps = encoder(pooling=pooling)(rand(B, L, D), return_attention=True)
    assert set(values_by_name(maps)) == names
    assert vector.shape == (B, (1 + (pooling == "concat")) * UNITS)


@pytest.mark.parametrize("length", [5, 2])
def test_winning_windows_are_labelled_with_their_words(length):
    layer = encoder(pooling="hierarchical", window=3, word_layer=False)
    x = np.zeros((1, length, D), np.float32)
    x[0, -1] = 1  # the last word is the largest
    _, (winners,) = layer(x, return_attention=True)
    values = values_by_name([winners])["window_pooling"][0]
    words = ["a", "b", "c", "d", "e"][:length]
    one = dataclasses.replace(winners, values=values)
    shown = Explanation.build([one], {"sentence": words})["window_pooling"]
    shares = dict(zip(shown.tokens, shown.by_token(), strict=True))
    best = "c d e" if length == 5 else "a b"
    assert shares[best] == 1 and sum(shares.values()) == 1


def small_experiment(corpus="snli", **overrides):
    settings = {"embedding.path": None, "embedding.trainable": True, **overrides}
    return load_experiment(f"configs/{corpus}/swem.yaml", settings)


@pytest.mark.parametrize(
    ("overrides", "parameters"),
    [
        # 300 x 300 + 300 of the words; 1,200 x 300 + 300 and 300 x 3 + 3 after them
        ({}, 451_503),
        ({"model.pooling": "average"}, 451_503),
        ({"model.pooling": "hierarchical"}, 451_503),
        ({"model.pooling": "concat"}, 451_503 + 1_200 * 300),
        ({"model.word_layer": False}, 451_503 - 90_300),
    ],
)
def test_the_parameter_count_matches_a_hand_calculation(overrides, parameters):
    model = build_model(small_experiment(**overrides), vocabulary_size=5)
    counts = [int(np.prod(v.shape)) for v in model.trainable_variables]
    assert sum(counts) - 5 * 300 == parameters


@pytest.mark.parametrize("pooling", ["concat", "hierarchical"])
def test_every_weight_learns(pooling):
    small = {"embedding.units": D, "model.units": UNITS, "model.pooling": pooling}
    model = build_model(small_experiment(**small), vocabulary_size=11)
    model.embedding.set_vectors(rand(11, D))
    ids = np.array([[3, 4, 5, 6], [7, 8, 9, 0], [4, 2, 10, 0]])
    inputs = {"premise": ids, "hypothesis": ids[::-1].copy()}
    check_every_weight_learns(model, inputs, [0, 1, 2])


def test_a_window_without_words_raises_an_error():
    with pytest.raises(InputError, match="'model.window': input should be greater"):
        small_experiment(**{"model.window": 0})
