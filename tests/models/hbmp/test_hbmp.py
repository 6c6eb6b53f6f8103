"""HBMP against its equations, in NumPy float64, sentence by sentence."""

import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model
from dsa.models.hbmp.encoder import HBMPEncoder
from tests.support.equations import sigmoid
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

B, L, D, UNITS = 3, 7, 5, 4
LENGTHS = (7, 4, 1)
MASK = np.arange(L)[None] < np.array(LENGTHS)[:, None]


def read(words, w, h, c):
    """An LSTM from a state: its outputs `(L, units)` and its last state."""
    outputs = []
    for word in words:
        gates = word @ w["kernel"] + h @ w["recurrent_kernel"] + w["bias"]
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.array(outputs), (h, c)


def encode(x, w, layers):
    """One sentence `(L, D)`; section 3."""
    states = {"forward": (np.zeros(UNITS),) * 2, "backward": (np.zeros(UNITS),) * 2}
    maxima = []
    for number in range(1, layers + 1):
        for direction, words in (("forward", x), ("backward", x[::-1])):
            cell = w[f"bilstm_{number}"][f"{direction}_lstm"]["lstm_cell"]
            outputs, states[direction] = read(words, cell, *states[direction])
            maxima.append(outputs.max(axis=0))
    return np.concatenate(maxima)


@pytest.mark.parametrize("layers", [1, 3])
def test_it_matches_the_equations(layers):
    x, layer = rand(B, L, D), HBMPEncoder(UNITS, layers)
    layer(x)
    randomize(layer)
    vectors = numpy_of(layer(x, mask=MASK))
    for sentence, length in enumerate(LENGTHS):
        words = x[sentence, :length].astype(np.float64)
        expected = encode(words, weights_of(layer), layers)
        np.testing.assert_allclose(vectors[sentence], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_sentence(fill):
    x, layer = rand(1, L, D), HBMPEncoder(UNITS)
    layer(x)
    randomize(layer)
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    np.testing.assert_allclose(numpy_of(layer(x)), alone, rtol=1e-5, atol=1e-6)
    longer = np.pad(x, ((0, 0), (0, 3), (0, 0)), constant_values=fill)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-5)


def test_it_is_a_layer():
    check_layer(
        lambda **more: HBMPEncoder(UNITS, dropout=0.1, seed=3, **more),
        rand(B, L, D),
        weights=3 * 6,
    )


def test_winning_tokens_are_returned_for_each_bilstm():
    layer = HBMPEncoder(UNITS)
    vector, maps = layer(rand(B, L, D), mask=MASK, return_attention=True)
    winners = values_by_name(maps)
    assert {name: array.shape for name, array in winners.items()} == {
        f"bilstm_{number}_max_pooling": (B, 2 * UNITS) for number in (1, 2, 3)
    }
    for array in winners.values():
        assert (array < np.array(LENGTHS)[:, None]).all()  # padding never wins
    assert vector.shape == (B, 3 * 2 * UNITS)


def small_experiment(**overrides):
    settings = {"embedding.path": None, "embedding.trainable": True}
    settings |= {"embedding.outside": "unknown", **overrides}
    return load_experiment("configs/snli/hbmp.yaml", settings)


@pytest.mark.nightly_on_jax
def test_the_parameter_count_is_the_papers():
    model = build_model(small_experiment(), vocabulary_size=5)
    counts = [int(np.prod(v.shape)) for v in model.trainable_variables]
    encoder = 3 * 2 * 4 * 600 * (300 + 600 + 1)
    classifier = (4 * 3600 + 1) * 600 + (600 + 1) * 600 + (600 + 1) * 3
    assert sum(counts) - 5 * 300 == encoder + classifier == 21_977_403  # 22m


@pytest.mark.slow
def test_every_weight_learns():
    small = {"model.units": UNITS, "model.classifier.units": 6, "embedding.units": D}
    model = build_model(small_experiment(**small), vocabulary_size=11)
    model.embedding.set_vectors(rand(11, D))
    ids = np.array([[3, 4, 5, 6], [7, 8, 9, 0], [4, 2, 10, 0]])
    inputs = {"premise": ids, "hypothesis": ids[::-1].copy()}
    check_every_weight_learns(model, inputs, [0, 1, 2])
