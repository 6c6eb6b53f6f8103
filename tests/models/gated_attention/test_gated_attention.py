"""The Bi-LSTM with gated attention against its equations, in NumPy float64."""

import keras
import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.layers.bilstm import BiLSTM
from dsa.models.building import build_model
from dsa.models.gated_attention.encoder import GatedAttentionEncoder, compute_gates
from tests.support.equations import sigmoid
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

B, L, D, UNITS = 2, 7, 5, 3
GATES = ("input", "forget", "output")


def make_encoder(**settings):
    return GatedAttentionEncoder(UNITS, **{"dropout": 0.0, **settings})


def read_gates(x, w, backwards):
    """The gates of one direction, step by step: `(3, L, units)` in the order of
    `GATES`, with 1 - f."""
    h = c = np.zeros(UNITS)
    gates = []
    for step in x[::-1] if backwards else x:
        z = step @ w["kernel"] + h @ w["recurrent_kernel"] + w["bias"]
        i, f, g, o = np.split(z, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        gates.append([sigmoid(i), 1 - sigmoid(f), sigmoid(o)])
    return np.array(gates[::-1] if backwards else gates).transpose(1, 0, 2)


def encode(x, w, layers, gate):
    """One sentence `(L, D)`: its vector, and the shares of its tokens."""
    states = x[:, :0]  # nothing comes before the first one
    for number in range(1, layers + 1):
        read = np.concatenate([x, states], axis=1)
        last = w[f"bilstm_{number}"]
        states = bilstm(read, last)
    both = [
        read_gates(
            read, last["bidirectional"][f"{name}_lstm"]["lstm_cell"], name == "backward"
        )[GATES.index(gate)]
        for name in ("forward", "backward")
    ]
    norms = np.linalg.norm(np.concatenate(both, axis=1), axis=1)
    shares = norms / norms.sum()
    return np.concatenate([states.mean(0), states.max(0), shares @ states]), shares


@pytest.mark.parametrize(
    ("layers", "gate"), [(1, "output"), (2, "forget"), (3, "input")]
)
def test_it_matches_the_equations(layers, gate):
    x, layer = rand(B, L, D), make_encoder(layers=layers, gate=gate)
    layer(x)
    randomize(layer)
    vectors, maps = layer(x, return_attention=True)
    shares = values_by_name(maps)["gated_attention"]
    for sentence in range(B):
        expected, weights = encode(
            x[sentence].astype(np.float64), weights_of(layer), layers, gate
        )
        np.testing.assert_allclose(
            numpy_of(vectors)[sentence], expected, rtol=1e-4, atol=1e-5
        )
        np.testing.assert_allclose(shares[sentence], weights, rtol=1e-4)


@pytest.mark.parametrize("fill", [100, np.nan])
@pytest.mark.parametrize("gate", GATES)
def test_padding_does_not_change_the_sentence(gate, fill):
    x, layer = rand(1, L, D), make_encoder(layers=2, gate=gate)
    layer(x)
    randomize(layer)
    alone, maps = layer(x, mask=np.ones((1, L), bool), return_attention=True)
    longer = np.pad(x, ((0, 0), (0, 3), (0, 0)), constant_values=fill)
    padded, of_padded = layer(
        longer, mask=np.arange(L + 3)[None] < L, return_attention=True
    )
    np.testing.assert_allclose(numpy_of(padded), numpy_of(alone), rtol=1e-4, atol=1e-6)
    shares = values_by_name(of_padded)["gated_attention"]
    assert (shares[0, L:] == 0).all()
    expected = values_by_name(maps)["gated_attention"]
    np.testing.assert_allclose(shares[:, :L], expected, rtol=1e-4)


def test_dropout_is_the_same_for_all_bilstms():
    layer = make_encoder(layers=2, dropout=0.5, seed=3)
    x, reads = np.ones((1, L, D), np.float32), []
    layer(x)
    for bilstm_layer in layer.bilstms:
        call = bilstm_layer.call

        def keep(x, *arguments, call=call, **options):
            reads.append(numpy_of(x))
            return call(x, *arguments, **options)

        bilstm_layer.call = keep
    layer(x, training=True)
    first, second = reads
    assert set(np.unique(first)) == {0.0, 2.0}
    np.testing.assert_array_equal(first, second[:, :, :D])


def test_it_is_a_layer():
    check_layer(
        lambda **more: make_encoder(layers=2, seed=3, **more),
        rand(B, L, D),
        weights=12,
    )


def test_an_unknown_gate_raises_an_error():
    with pytest.raises(ValueError, match="`gate` must be one of"):
        make_encoder(gate="cell")


def test_an_encoder_without_bilstms_raises_an_error():
    with pytest.raises(ValueError, match="`layers` must be at least 1. Received: 0"):
        make_encoder(layers=0)


def test_gates_require_a_bilstm_without_dropout():
    layer = BiLSTM(UNITS, dropout=0.5)
    states = layer(rand(B, L, D))
    with pytest.raises(ValueError, match="must have no dropout"):
        compute_gates(layer, rand(B, L, D), states, "input")


def small_experiment(**overrides):
    settings = {"embedding.path": None, "embedding.trainable": True, **overrides}
    return load_experiment("configs/snli/gated_attention.yaml", settings)


@pytest.mark.nightly_on_jax
def test_the_parameter_count_matches_a_hand_calculation():
    # matrices and biases of two directions with four gates each
    first, later = (2 * 4 * 600 * (size + 600 + 1) for size in (300, 1_500))
    classifier = 4 * 3_600 * 600 + 600 + 600 * 600 + 600 + 600 * 3 + 3
    model = build_model(small_experiment(), vocabulary_size=5)
    counts = [int(np.prod(v.shape)) for v in model.trainable_variables]
    assert sum(counts) - 5 * 300 == first + 2 * later + classifier == 33_497_403


@pytest.mark.slow
def test_every_weight_learns():
    small = {
        "embedding.units": D,
        "model.units": UNITS,
        "model.layers": 2,
        "model.classifier.units": 7,
        "model.classifier.dropout": 0.0,
        "model.dropout": 0.0,
    }
    keras.utils.set_random_seed(1)
    model = build_model(small_experiment(**small), vocabulary_size=11)
    model.embedding.set_vectors(rand(11, D))
    ids = np.array([[3, 4, 5, 6], [7, 8, 9, 10], [4, 2, 5, 0]])
    inputs = {"premise": ids, "hypothesis": ids[::-1].copy()}
    check_every_weight_learns(model, inputs, [0, 1, 2])
