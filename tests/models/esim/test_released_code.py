"""The initial weights and the dropout of ESIM's released code."""

import keras
import numpy as np
import pytest
from keras import ops

from dsa.experiment.yaml_file import load_experiment
from dsa.layers.bilstm import BiLSTM
from dsa.models.building import build_model
from dsa.models.esim.released_code import (
    NUM_GATES,
    OrthogonalOrNormal,
    UnscaledDropout,
)
from tests.support.layer_checks import numpy_of, rand

pytestmark = pytest.mark.keras  # run on JAX in CI too

SMALL = {
    "embedding.path": None,
    "embedding.lookup": "case_forms",
    "embedding.units": 6,
    "model.units": 6,
}

RELEASED = {
    "kernel_initializer": OrthogonalOrNormal(NUM_GATES),
    "recurrent_initializer": OrthogonalOrNormal(NUM_GATES),
    "unit_forget_bias": False,
}


def build(name, **settings):
    keras.utils.set_random_seed(2)
    overrides = {**SMALL, **settings}
    if name == "esim":
        del overrides["embedding.lookup"]
    config = load_experiment(f"configs/snli/{name}.yaml", overrides)
    return build_model(config, vocabulary_size=12)


def test_each_gate_is_initialized_with_its_own_orthogonal_matrix():
    layer = BiLSTM(5, **RELEASED)
    layer.build((None, None, 5))
    for direction in (layer.lstm.forward_layer, layer.lstm.backward_layer):
        for matrix in (direction.cell.kernel, direction.cell.recurrent_kernel):
            gates = np.split(numpy_of(matrix), 4, axis=1)
            for gate in gates:
                np.testing.assert_allclose(gate.T @ gate, np.eye(5), atol=1e-5)
            assert abs(gates[0] - gates[1]).max() > 0.01
        assert (numpy_of(direction.cell.bias) == 0).all()


def test_other_matrices_are_initialized_with_small_values():
    layer = BiLSTM(40, **RELEASED)
    layer.build((None, None, 50))
    kernel = numpy_of(layer.lstm.forward_layer.cell.kernel)
    assert kernel.std() == pytest.approx(0.01, rel=0.05)
    square = OrthogonalOrNormal(orthogonal=False)((60, 60))
    assert numpy_of(square).std() == pytest.approx(0.01, rel=0.05)


def test_the_initializers_are_part_of_a_layers_config():
    layer = BiLSTM.from_config(BiLSTM(3, **RELEASED).get_config())
    layer.build((None, None, 3))
    gate = numpy_of(layer.lstm.backward_layer.cell.recurrent_kernel)[:, 3:6]
    np.testing.assert_allclose(gate.T @ gate, np.eye(3), atol=1e-5)


def test_unscaled_dropout_scales_at_inference():
    x = ops.convert_to_tensor(rand(200, 50) + 3)
    layer = UnscaledDropout(0.25, seed=1)
    np.testing.assert_allclose(numpy_of(layer(x)), 0.75 * numpy_of(x), rtol=1e-6)
    dropped = numpy_of(layer(x, training=True))
    kept = dropped != 0
    assert kept.mean() == pytest.approx(0.75, abs=0.02)
    np.testing.assert_allclose(dropped[kept], numpy_of(x)[kept], rtol=1e-6)
    copy = UnscaledDropout.from_config(layer.get_config())
    np.testing.assert_array_equal(numpy_of(copy(x, training=True)), dropped)


def test_the_released_config_uses_the_released_initializers_and_dropout():
    model = build("esim_released")
    drops = [layer for layer in model.layers if isinstance(layer, UnscaledDropout)]
    assert [layer.rate for layer in drops] == [0.5] * 4
    assert numpy_of(model.hidden.kernel).std() == pytest.approx(0.01, rel=0.2)
    gate = numpy_of(model.encoding.lstm.forward_layer.cell.kernel)[:, :6]
    np.testing.assert_allclose(gate.T @ gate, np.eye(6), atol=1e-5)


def test_released_and_default_model_have_the_same_equation():
    """With equal weights and without dropout, the logits are equal."""
    sane = build("esim", **{"model.dropout": 0.0})
    released = build("esim_released", **{"model.dropout": 0.0})
    released.set_weights(sane.get_weights())
    ids = {"premise": np.array([[3, 4, 5, 0]]), "hypothesis": np.array([[6, 2]])}
    np.testing.assert_allclose(
        numpy_of(released(ids)), numpy_of(sane(ids)), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(
    "name", ["esim_released", pytest.param("esim", marks=pytest.mark.exhaustive)]
)
def test_fifty_steps_learn(name):
    """The label: whether premise and hypothesis have the same first word."""
    model = build(name, **{"model.dropout": 0.2, "embedding.units": 6})
    model.embedding.set_vectors(rand(12, 6))
    random = np.random.default_rng(0)
    premise = random.integers(2, 12, (64, 4)).astype(np.int32)
    hypothesis = random.integers(2, 12, (64, 3)).astype(np.int32)
    hypothesis[::2, 0] = premise[::2, 0]
    labels = (hypothesis[:, 0] == premise[:, 0]).astype(np.int32)
    model.compile(
        keras.optimizers.Adam(0.01),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    pairs = {"premise": premise, "hypothesis": hypothesis}
    losses = model.fit(pairs, labels, 64, 50, verbose=0).history["loss"]
    assert losses[-1] < 0.75 * losses[0]
