from typing import Literal

import keras
import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.baselines.config import BaselineConfig, build_encoder
from dsa.models.building import build_model
from dsa.models.model_config import ModelParts
from tests.support.ci_cases import first_on_jax
from tests.support.layer_checks import (
    check_every_weight_learns,
    numpy_of,
    rand,
    randomize,
    values_by_name,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

IDS = np.array([[3, 4, 5, 6], [2, 1, 0, 0]], np.int32)


RECURRENT = ("lstm", "gru", "bilstm_inner")
ALL = ("cbow", "bilstm_mean", "bilstm_max", *RECURRENT)


def model_of(name, vocabulary_size=7, **settings):
    keras.utils.set_random_seed(1)
    experiment = load_experiment(f"configs/snli/{name}.yaml", settings)
    return build_model(experiment, vocabulary_size)


def small(name):
    units = {} if name == "cbow" else {"model.units": 3}
    trained = {"embedding.trainable": True, "embedding.path": None}
    model = model_of(name, **units, **trained, **{"embedding.units": 5})
    model.embedding.set_vectors(rand(7, 5))
    return model


@pytest.mark.nightly_on_jax
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("cbow", 361_203),
        ("bilstm_mean", 2_163_603),
        ("bilstm_max", 2_163_603),
        # 4 (300 (300 + 300) + 300) of the LSTM; 361,203 of the classifier
        ("lstm", 1_082_403),
        # 3 (1024 (300 + 1024) + 2 * 1024) of the GRU; [4096, 300] in the classifier
        ("gru", 5_303_475),
        ("bilstm_inner", 2_163_603 + 2 * 600**2 + 600),
    ],
)
def test_the_number_of_parameters_is_as_computed_by_hand(name, count):
    model = model_of(name)
    assert sum(int(np.prod(v.shape)) for v in model.trainable_variables) == count


def test_a_baseline_without_a_pooling_layer_raises_an_error():
    class BiLSTMMinConfig(BaselineConfig):
        name: Literal["bilstm_min"]

    parts = ModelParts(task=None, embedding=None, vocabulary_size=5, seed=3)
    with pytest.raises(ValueError, match="a baseline. Received: bilstm_min"):
        build_encoder(BiLSTMMinConfig(name="bilstm_min"), parts)


def test_cbow_is_the_mean_of_the_word_vectors():
    model, vectors = small("cbow"), rand(7, 5)
    expected = [vectors[row[row > 0]].mean(axis=0) for row in IDS]
    np.testing.assert_allclose(numpy_of(model.encode(IDS)), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "pool"), [("bilstm_mean", "mean"), ("bilstm_max", "max")]
)
def test_a_bilstm_is_pooled_over_real_tokens(name, pool):
    model = small(name)
    states = numpy_of(model.encoder.context(rand(7, 5)[IDS], mask=IDS > 0))
    expected = [
        getattr(s[row > 0], pool)(axis=0) for s, row in zip(states, IDS, strict=True)
    ]
    np.testing.assert_allclose(
        numpy_of(model.encode(IDS)), expected, rtol=1e-4, atol=1e-6
    )


def test_released_cbow_is_the_sum_of_the_word_vectors_through_three_layers():
    path = "configs/multinli/cbow_williams.yaml"
    settings = {"embedding.path": None, "embedding.units": 5}
    small_classifier = {"model.classifier.units": 4}
    experiment = load_experiment(path, {**settings, **small_classifier})
    model = build_model(experiment, 7)
    model.embedding.set_vectors(rand(7, 5))
    for layer in (model.hidden, *model.deeper, model.logits):
        randomize(layer)
    u, v = (rand(7, 5)[row[row > 0]].sum(axis=0) for row in IDS)
    np.testing.assert_allclose(numpy_of(model.encode(IDS)), [u, v], rtol=1e-5)
    hidden = np.concatenate([u, v, u - v, u * v]).astype(np.float64)
    assert len(model.deeper) == 2
    for layer in (model.hidden, *model.deeper):
        kernel, bias = layer.get_weights()
        hidden = np.maximum(hidden @ kernel + bias, 0)
    kernel, bias = model.logits.get_weights()
    logits = numpy_of(model({"premise": IDS[:1], "hypothesis": IDS[1:]}))
    np.testing.assert_allclose(logits[0], hidden @ kernel + bias, rtol=1e-4, atol=1e-5)
    drops = model.encoder.context.drop.rate, model.drop.rate
    assert drops == (0.5, 0.5)


@pytest.mark.parametrize("name", ALL)
def test_a_sentence_has_the_same_vector_alone_and_in_a_batch(name):
    model = small(name)
    together = numpy_of(model.encode(IDS))
    alone = numpy_of(model.encode(IDS[1:, :2]))
    np.testing.assert_allclose(together[1:], alone, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", first_on_jax(reversed(ALL)))
def test_every_weight_learns(name):
    model = small(name)
    check_every_weight_learns(model, {"premise": IDS, "hypothesis": IDS[::-1]}, [0, 2])


def test_the_maps_of_pooling_have_names():
    def look(name):
        maps = []
        small(name).encode(IDS, maps=maps)
        return values_by_name(maps)

    winners = look("bilstm_max")["max_pooling"]
    assert winners.shape == (2, 6)
    assert (winners[1] < 2).all()  # the arg max is never padding
    np.testing.assert_allclose(
        look("cbow")["mean_pooling"], [[0.25] * 4, [0.5, 0.5, 0, 0]]
    )


@pytest.mark.nightly_on_jax
@pytest.mark.slow
@pytest.mark.usefixtures("quick_weights")
def test_infersent_has_the_parameters_computed_by_hand():
    """A Bi-LSTM of 2,048 units and three linear maps, to 512, 512 and 3 features. The
    released code has 16,384 more: PyTorch's LSTM has two biases for each gate."""
    model = model_of("infersent")
    counts = {"encoder": 2 * 4 * 2048 * (300 + 2048 + 1)}
    counts["classifier"] = (16_384 + 1) * 512 + (512 + 1) * 512 + (512 + 1) * 3
    of_encoder = sum(np.prod(v.shape) for v in model.encoder.trainable_variables)
    everything = sum(np.prod(v.shape) for v in model.trainable_variables)
    assert of_encoder == counts["encoder"] == 38_486_016
    assert everything - of_encoder == counts["classifier"] == 8_653_315
    hidden = (model.hidden, *model.deeper)
    assert [layer.activation for layer in hidden] == ["linear", "linear"]
    assert [layer.drop.rate for layer in hidden] + [model.drop.rate] == [0, 0, 0]
    assert model.encoder.context.drop.rate == 0
