import keras
import numpy as np
import pytest

from dsa.experiment_file import load_experiment
from dsa.models import build_model
from tests import esim_equations as equations
from tests.layer_checks import (
    check_every_weight_learns,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

PREMISE = np.array([[3, 4, 5, 6, 7], [2, 1, 0, 0, 0]], np.int32)
HYPOTHESIS = np.array([[3, 6, 1], [5, 0, 0]], np.int32)
INPUTS = {"premise": PREMISE, "hypothesis": HYPOTHESIS}
SMALL = {"model.units": 4, "embedding.units": 5, "embedding.path": None}


def model_of(name, **settings):
    overrides = {**settings, "embedding.trainable": True}
    experiment = load_experiment(f"configs/snli/{name}.yaml", overrides)
    return build_model(experiment, vocabulary_size=8)


def small(name, **settings):
    keras.utils.set_random_seed(1)
    model = model_of(name, **SMALL, **settings)
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
def test_the_parameters_are_those_of_the_reference(name, settings, count):
    model = model_of(name, **settings)
    table = model.embedding.table.count_params()
    assert (
        sum(int(np.prod(v.shape)) for v in model.trainable_variables) - table == count
    )


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


@pytest.mark.parametrize("name", ["esim", "aesim"])
def test_every_weight_learns(name):
    model = small(name)
    check_every_weight_learns(model, INPUTS, [0, 2])


def test_the_alignment_and_the_word_attention_are_named():
    named = small("aesim").explain(INPUTS)
    assert named["premise.alignment"].shape == (2, 5, 3)
    assert named["hypothesis.alignment"].shape == (2, 3, 5)
    for layer in ("encoding", "composition"):
        for direction in ("forward", "backward"):
            name = f"premise.{layer}_word_attention_{direction}"
            np.testing.assert_allclose(numpy_of(named[name]).sum(axis=1), 1, rtol=1e-5)
    assert set(small("esim").explain(INPUTS)) == {
        "logits",
        "premise.alignment",
        "hypothesis.alignment",
    }


def test_a_joint_model_is_refused_on_another_task():
    from dsa.errors import InputError

    with pytest.raises(InputError, match="classifies sentence pairs"):
        load_experiment("configs/sick/dsa.yaml", {"model": {"name": "esim"}})
