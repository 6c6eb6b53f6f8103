"""Tests of the Transformer encoder against its equations in NumPy float64."""

import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model
from dsa.models.transformer.attention import (
    AddPositions,
    interleaved_sinusoidal_positions,
)
from dsa.models.transformer.encoder import TransformerEncoder
from dsa.models.transformer.transformer_layer import TransformerLayer
from tests.support.equations import layer_norm, softmax, source2token
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

B, L, UNITS, HEADS = 2, 7, 6, 3
VARIANTS = [
    {},
    {"positions": "learned", "max_position": 4, "word_scale": 0.5},
    {"positions": "relative", "max_distance": 2, "layers": 2},
    {"positions": "none", "norm": "pre", "stacks": 1, "layers": 2},
    {"pooling": "max", "layer_norm": False},
    {"pooling": "source2token", "hidden_units": 5},
]
# 16 arrays per layer, 18 with distances; 8 of source2token
COUNTS = list(zip(VARIANTS, (40, 41, 80, 42, 32, 40), strict=True))


def encoder(**arguments):
    return TransformerEncoder(**{"units": UNITS, "heads": HEADS, **arguments})


def affine(x, w):
    return x @ w["kernel"] + w["bias"]


def attend(x, w, heads, largest):
    """Vaswani et al. 2017, section 3.2; Shaw et al. 2018, equations 3 and 4."""
    q, k, v = (affine(x, w[name]) for name in ("query", "key", "value"))
    length, units = q.shape
    size = units // heads
    context = np.zeros((length, units))
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        for i in range(length):
            keys, values = k[:, part].copy(), v[:, part].copy()
            for j in range(length if largest else 0):
                distance = max(-largest, min(largest, j - i)) + largest
                keys[j] += w["key_distances"][distance]
                values[j] += w["value_distances"][distance]
            weights = softmax(keys @ q[i, part] / np.sqrt(size))
            context[i, part] = weights @ values
    return affine(context, w["output_projection"])


def transform(x, w, heads, norm, largest):
    def norm_by(name, x):
        return layer_norm(x, w[name]["gamma"], w[name]["beta"])

    def feed_forward(x):
        return affine(np.maximum(affine(x, w["hidden"]), 0), w["output_map"])

    if norm == "pre":
        x = x + attend(norm_by("attention_norm", x), w["attention"], heads, largest)
        return x + feed_forward(norm_by("feed_forward_norm", x))
    x = norm_by("attention_norm", x + attend(x, w["attention"], heads, largest))
    return norm_by("feed_forward_norm", x + feed_forward(x))


def add_positions(x, w, layer):
    """Vaswani et al. 2017, section 3.5."""
    if layer.positions == "sinusoidal":
        for p in range(len(x)):
            for i in range(0, x.shape[1], 2):
                angle = p / 10000 ** (i / x.shape[1])
                x[p, i : i + 2] += [np.sin(angle), np.cos(angle)][: x.shape[1] - i]
    if layer.positions == "learned":
        for p in range(len(x)):
            x[p] += w["positions"]["vectors"][min(p, layer.max_position - 1)]
    return x


def encode(x, w, layer):
    """Returns the vector of a sentence `(L, D)` for the settings of an encoder."""
    x = add_positions(x * layer.word_scale, w, layer)
    largest = layer.max_distance if layer.positions == "relative" else 0
    stacks = []
    for stack in range(layer.stacks):
        tokens = x
        for number in range(layer.layers):
            of_layer = w[f"layer_{stack + 1}_{number + 1}"]
            tokens = transform(tokens, of_layer, layer.heads, layer.norm, largest)
        if layer.norm == "pre":
            gain = w[f"norm_{stack + 1}"]
            tokens = layer_norm(tokens, gain["gamma"], gain["beta"])
        stacks.append(tokens)
    tokens = np.concatenate(stacks, axis=1)
    pooled = []
    if layer.pooling != "max":
        pooled.append(source2token(tokens, w["source2token"])[0])
    if layer.pooling != "source2token":
        pooled.append(tokens.max(axis=0))
    return np.concatenate(pooled)


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_matches_the_equations(variant):
    x, layer = rand(B, L, UNITS), encoder(**variant)
    layer(x)
    randomize(layer)
    vectors = numpy_of(layer(x))
    for sentence in range(B):
        expected = encode(x[sentence].astype(np.float64), weights_of(layer), layer)
        np.testing.assert_allclose(vectors[sentence], expected, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_sentence(variant, fill):
    x, layer = rand(1, L, UNITS), encoder(**variant)
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.pad(x, ((0, 0), (0, 3), (0, 0)), constant_values=fill)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "relative", "none"])
def test_word_order_matters_only_with_positions(positions):
    x, layer = rand(1, L, UNITS), encoder(positions=positions)
    forward, backward = numpy_of(layer(x)), numpy_of(layer(x[:, ::-1].copy()))
    difference = np.abs(forward - backward).max()
    assert difference < 1e-5 if positions == "none" else difference > 0.01


def test_an_odd_number_of_units_has_positions():
    assert interleaved_sinusoidal_positions(4, 5).shape == (4, 5)


@pytest.mark.parametrize(("variant", "weights"), COUNTS)
def test_the_basics(variant, weights):
    check_layer(
        lambda **more: encoder(**variant, **more),
        rand(B, L, UNITS),
        weights=weights,
    )


def test_the_maps_have_the_names_of_their_layers():
    layer = encoder(layers=2)
    vector, maps = layer(rand(B, L, UNITS), return_attention=True)
    shapes = {name: array.shape for name, array in values_by_name(maps).items()}
    names = [f"layer_{stack}_{n}_attention" for stack in (1, 2) for n in (1, 2)]
    assert shapes == {
        **dict.fromkeys(names, (B, HEADS, L, L)),
        "source2token": (B, L, 2 * UNITS),
        "max_pooling": (B, 2 * UNITS),
    }
    np.testing.assert_allclose(values_by_name(maps)[names[0]].sum(-1), 1, rtol=1e-5)
    assert vector.shape == (B, 4 * UNITS)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: encoder(positions="absolute"), "`positions` must be"),
        (lambda: encoder(pooling="mean"), "`pooling` must be"),
        (lambda: TransformerLayer(6, 3, 24, norm="after"), "`norm` must be"),
        (lambda: encoder(heads=4)(rand(B, L, UNITS)), "divisible by `heads`"),
    ],
)
def test_the_error_lists_the_invalid_setting(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def of_config(**overrides):
    settings = {"embedding.path": None, "embedding.trainable": True, **overrides}
    return load_experiment("configs/snli/transformer.yaml", settings)


@pytest.mark.parametrize(
    ("overrides", "parameters"),
    [
        # DSA has 4,697,403: two gates of 180,000 each, and LN, more
        ({"model.norm": "post"}, 4_333_203),
        ({}, 4_333_203 + 2 * 600),
        ({"model.stacks": 1, "model.layers": 2}, 3_071_403 + 600),
        ({"model.positions": "learned"}, 4_334_403 + 512 * 300),
        ({"model.positions": "relative"}, 4_334_403 + 2 * 2 * 33 * 60),
    ],
)
def test_the_number_of_parameters_is_as_computed_by_hand(overrides, parameters):
    model = build_model(of_config(**overrides), vocabulary_size=5)
    counts = [int(np.prod(v.shape)) for v in model.trainable_variables]
    assert sum(counts) - 5 * 300 == parameters


@pytest.mark.parametrize(
    ("positions", "largest"),
    [("relative", "model.max_distance"), ("learned", "model.max_position")],
)
def test_every_weight_learns(positions, largest):
    small = {
        "embedding.units": 6,
        "model.units": 6,
        "model.heads": 2,
        "model.positions": positions,
        largest: 2,
    }
    model = build_model(of_config(**small), vocabulary_size=11)
    model.embedding.set_vectors(rand(11, 6))
    ids = np.array([[3, 4, 5, 6], [7, 8, 9, 0], [4, 2, 0, 0]])
    inputs = {"premise": ids, "hypothesis": ids[::-1].copy()}
    check_every_weight_learns(model, inputs, [0, 1, 2])


def test_word_vectors_of_another_size_are_an_error():
    with pytest.raises(ValueError, match="word vectors of size 50"):
        of_config(**{"embedding.units": 50})


def test_positions_beyond_the_maximum_share_the_last_vector():
    layer = AddPositions("learned", 3)
    x = np.zeros((1, 5, 4), np.float32)
    layer(x)
    randomize(layer)
    positions = numpy_of(layer(x))[0]
    assert (positions[2] == positions[4]).all() and (positions[1] != positions[2]).any()


def test_an_unknown_type_of_position_embedding_is_an_error():
    with pytest.raises(ValueError, match="`embedding_type` must be one of"):
        AddPositions("learnt")


@pytest.mark.parametrize("active", [0, 1])
def test_the_output_of_each_block_has_dropout(active):
    layer = TransformerLayer(UNITS, HEADS, 24, dropout=0.5, seed=3)
    x = rand(B, L, UNITS)
    inference = numpy_of(layer(x))
    layer.drops[1 - active].rate = 0.0
    assert np.abs(numpy_of(layer(x, training=True)) - inference).max() > 1e-3


def test_dropout_reaches_every_layer_with_its_own_seed():
    layer = encoder(layers=2, dropout=0.3, seed=3)
    layer(rand(B, L, UNITS))
    drops = [drop for block in layer.blocks for drop in block.drops]
    assert {drop.rate for drop in drops} == {0.3}
    assert len({drop.seed for drop in drops}) == len(drops) >= 4
