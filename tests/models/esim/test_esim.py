import keras
import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.building import build_model
from dsa.models.esim.network import ESIM
from tests.support import esim_equations as equations
from tests.support.ci_cases import first_on_jax
from tests.support.layer_checks import (
    check_every_weight_learns,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

PREMISE = np.array([[3, 4, 5, 6, 7], [2, 1, 0, 0, 0]], np.int32)
HYPOTHESIS = np.array([[3, 6, 1], [5, 0, 0]], np.int32)
INPUTS = {"premise": PREMISE, "hypothesis": HYPOTHESIS}
SMALL = {"model.units": 4, "embedding.units": 5, "embedding.path": None}


def build(name, **settings):
    overrides = {**settings, "embedding.trainable": True}
    experiment = load_experiment(f"configs/snli/{name}.yaml", overrides)
    return build_model(experiment, vocabulary_size=8)


def small(name, **settings):
    keras.utils.set_random_seed(1)
    model = build(name, **SMALL, **settings)
    for layer in model.layers:
        if layer is not model.embedding:
            randomize(layer)
    model.embedding.set_vectors(rand(8, 5))
    return model


@pytest.mark.parametrize(
    ("name", "settings", "count"),
    [
        ("esim", {}, 4_326_303),
        ("aesim", {}, 5_049_903),
        ("aesim", {"model.share_attention": True}, 4_868_703),
    ],
)
def test_the_parameter_count_is_the_references(name, settings, count):
    model = build(name, **settings)
    table = model.embedding.table.count_params()
    assert (
        sum(int(np.prod(v.shape)) for v in model.trainable_variables) - table == count
    )


class Recorder(keras.layers.Dropout):
    """A dropout that records its inputs and drops nothing."""

    seen = []

    def call(self, inputs, training=False):
        if training and self.rate:
            self.seen.append((self.rate, inputs))
        return inputs


@pytest.mark.parametrize(("name", "rate"), [("esim", 0.5), ("aesim", 0.2)])
def test_dropout_is_applied_as_in_the_released_code(name, rate, monkeypatch):
    seen = []
    monkeypatch.setattr(Recorder, "seen", seen)
    monkeypatch.setattr(keras.layers, "Dropout", Recorder)
    model = small(name)
    model(INPUTS, training=True)
    assert {each for each, _ in seen} == {rate}
    # word vectors and projected tokens of both sentences, pooled and hidden vector
    shapes = [tuple(tensor.shape) for _, tensor in seen]
    words, projected = [(2, 5, 5), (2, 3, 5)], [(2, 5, 4), (2, 3, 4)]
    assert shapes == [*words, *projected, (2, 4 * 8), (2, 4)]
    for (_, tensor), ids in zip(seen[:2], INPUTS.values(), strict=True):
        np.testing.assert_array_equal(numpy_of(tensor), numpy_of(model.embedding(ids)))
    hidden = numpy_of(seen[4][1]) @ model.hidden.get_weights()[0]
    np.testing.assert_allclose(
        numpy_of(seen[5][1]),
        np.tanh(hidden + model.hidden.get_weights()[1]),
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize(
    ("name", "rate", "batch", "clip"),
    [("esim", 4e-4, 32, 10), ("aesim", 5e-4, 128, None)],
)
def test_the_training_settings_are_the_published_settings(name, rate, batch, clip):
    training = load_experiment(f"configs/snli/{name}.yaml").training
    assert (training.learning_rate, training.batch_size) == (rate, batch)
    assert (training.clip_norm, training.optimizer.name) == (clip, "adam")
    assert training.schedule.name == "halve_and_reload"


@pytest.mark.parametrize("longer", ["premise", "hypothesis"])
@pytest.mark.parametrize("name", ["esim", "aesim"])
def test_it_matches_the_equations(name, longer):
    sides = (PREMISE, HYPOTHESIS) if longer == "premise" else (HYPOTHESIS, PREMISE)
    model, vectors = small(name), rand(8, 5).astype(np.float64)
    logits = numpy_of(model(dict(zip(INPUTS, sides, strict=True))))
    parts = ("encoding", "projection", "composition", "hidden", "logits")
    w = {part: weights_of(getattr(model, part)) for part in parts}
    for row in range(2):
        a, b = (vectors[ids[row][ids[row] > 0]] for ids in sides)
        expected = equations.esim(a, b, w, attentive=name == "aesim")
        np.testing.assert_allclose(logits[row], expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["esim", "aesim"])
def test_a_pair_has_the_same_logits_alone_and_beside_a_pair_of_70_words(name):
    model = small(name)
    alone = {"premise": PREMISE[1:, :2], "hypothesis": HYPOTHESIS[1:, :1]}
    long = np.random.default_rng(0).integers(1, 8, (1, 70)).astype(np.int32)
    together = {
        side: np.concatenate([long, np.pad(ids, ((0, 0), (0, 70 - ids.shape[1])))])
        for side, ids in alone.items()
    }
    np.testing.assert_allclose(
        numpy_of(model(together))[1:], numpy_of(model(alone)), rtol=1e-5, atol=1e-5
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", first_on_jax(["esim", "aesim"]))
def test_every_weight_learns(name):
    model = small(name)
    check_every_weight_learns(model, INPUTS, [0, 2])


def test_explain_returns_the_alignment_and_the_word_attention():
    logits, maps = small("aesim").explain(INPUTS)
    assert logits.shape == (2, 3)
    named = {(one.sentence, one.name): one for one in maps}
    assert named["premise", "alignment"].values.shape == (2, 5, 3)
    assert named["premise", "alignment"].over == "hypothesis"
    assert named["hypothesis", "alignment"].values.shape == (2, 3, 5)
    assert named["hypothesis", "alignment"].over == "premise"
    for part in ("encoding", "composition"):
        for direction in ("forward", "backward"):
            one = named["premise", f"{part}_word_attention_{direction}"]
            assert (one.part, one.direction) == (part, direction)
            np.testing.assert_allclose(numpy_of(one.values).sum(axis=1), 1, rtol=1e-5)
    _, maps = small("esim").explain(INPUTS)
    assert [(one.sentence, one.name) for one in maps] == [
        ("premise", "alignment"),
        ("hypothesis", "alignment"),
    ]


def test_a_pair_model_raises_an_error_for_another_task():
    from dsa.errors import InputError

    with pytest.raises(InputError, match="requires sentence pairs"):
        load_experiment("configs/sick/dsa.yaml", {"model": {"name": "esim"}})


def test_an_unknown_initialization_is_an_error():
    message = "`initialization` must be one of .* Received: initialization='normal'$"
    with pytest.raises(ValueError, match=message):
        ESIM(WordEmbedding(9, 8), initialization="normal")


def test_settings_of_the_word_attention_reach_both_bilstms():
    for rescale in (False, True):
        model = small("aesim", **{"model.rescale": rescale})
        for layer in (model.encoding, model.composition):
            assert [each.rescale for each in layer.attention] == [rescale] * 2
