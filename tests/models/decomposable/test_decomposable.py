"""Decomposable attention against its equations, in NumPy float64, pair by pair."""

import keras
import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.building import build_model
from dsa.models.decomposable.feed_forward import FeedForward
from dsa.models.decomposable.network import DecomposableAttention
from tests.support.ci_cases import first_on_jax
from tests.support.equations import softmax
from tests.support.layer_checks import (
    check_every_weight_learns,
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

WORDS, D, UNITS = 30, 8, 6
IDS = {
    "premise": np.array([[*range(3, 17)], [4, 2, 9, *[0] * 11]]),
    "hypothesis": np.array([[8, 9, 3, 5, 7], [20, 21, 0, 0, 0]]),
}


def build(**settings):
    model = DecomposableAttention(
        WordEmbedding(WORDS, D, name="embedding"), 3, units=UNITS, **settings
    )
    model.build()
    randomize(model)
    vectors = rand(WORDS, D, seed=4)
    vectors[0] = 0  # padding
    model.embedding.set_vectors(vectors)
    return model, vectors.astype(np.float64)


def network(x, w):
    hidden = np.maximum(x @ w["first"]["kernel"] + w["first"]["bias"], 0)
    return np.maximum(hidden @ w["second"]["kernel"] + w["second"]["bias"], 0)


def attend_to_itself(a, w):
    """Section 3.4."""
    keys, seen = network(a, w["intra_keys"]), np.zeros_like(a)
    for i in range(len(a)):
        scores = [
            keys[i] @ keys[j]
            + w["intra_attention"]["distances"][max(-11, min(11, i - j)) + 11]
            for j in range(len(a))
        ]
        seen[i] = softmax(np.array(scores)) @ a
    return np.concatenate([a, seen], axis=1)


def predict(sentences, w, settings):
    """Sections 3.1 to 3.3, for two arrays of word vectors."""
    words = []
    for x in sentences:
        if settings.get("normalize", True):
            x = x / np.linalg.norm(x, axis=1, keepdims=True)
        a = x @ w["projection"]["kernel"]
        words.append(attend_to_itself(a, w) if "intra_attention" in w else a)
    a, b = words
    scores = network(a, w["keys"]) @ network(b, w["keys"]).T
    beta = np.array([softmax(row) @ b for row in scores])
    alpha = np.array([softmax(column) @ a for column in scores.T])
    sums = [
        network(np.concatenate(pair, axis=1), w["comparison"]).sum(axis=0)
        for pair in ((a, beta), (b, alpha))
    ]
    pair = network(np.concatenate(sums), w["aggregation"])
    return pair @ w["logits"]["kernel"] + w["logits"]["bias"]


@pytest.mark.parametrize(
    "settings", [{}, {"intra_attention": True}, {"normalize": False}]
)
def test_it_matches_the_equations(settings):
    """The sentences of the batch have different lengths, so it contains padding."""
    model, vectors = build(**settings)
    logits = numpy_of(model(IDS))
    weights = weights_of(model)
    for row in range(2):
        sentences = [vectors[ids[row][ids[row] > 0]] for ids in IDS.values()]
        expected = predict(sentences, weights, settings)
        np.testing.assert_allclose(logits[row], expected, rtol=2e-4, atol=2e-5)


def test_a_zero_word_vector_gives_finite_logits():
    model, _ = build()
    model.embedding.set_vectors(np.zeros((WORDS, D)))
    assert np.isfinite(numpy_of(model(IDS))).all()


def test_attention_is_returned_for_each_sentence():
    model, _ = build(intra_attention=True)
    logits, maps = model.explain(IDS)
    np.testing.assert_allclose(numpy_of(logits), numpy_of(model(IDS)), rtol=1e-6)
    shapes = {(one.sentence, one.over, one.what): one.values.shape for one in maps}
    assert shapes == {
        ("premise", None, "intra_attention"): (2, 14, 14),
        ("hypothesis", None, "intra_attention"): (2, 5, 5),
        ("premise", "hypothesis", "alignment"): (2, 14, 5),
        ("hypothesis", "premise", "alignment"): (2, 5, 14),
    }
    for one in maps:
        np.testing.assert_allclose(numpy_of(one.values)[0].sum(-1), 1, rtol=1e-5)


def test_the_feed_forward_network_is_a_layer():
    check_layer(
        lambda **more: FeedForward(UNITS, dropout=0.2, seed=3, **more),
        rand(2, 5, D),
        weights=4,
    )


def small_experiment(name="decomposable", **overrides):
    settings = {"embedding.path": None, "embedding.trainable": True, **overrides}
    return load_experiment(f"configs/snli/{name}.yaml", settings)


@pytest.mark.nightly_on_jax
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("decomposable", 381_803),  # 382k in the paper's table 1
        ("decomposable_intra", 582_226),  # 582k
    ],
)
def test_the_parameter_count_is_the_papers(name, parameters):
    model = build_model(small_experiment(name), vocabulary_size=5)
    counts = [int(np.prod(v.shape)) for v in model.trainable_variables]
    assert sum(counts) - 5 * 300 == parameters


@pytest.mark.parametrize("name", first_on_jax(["decomposable_intra", "decomposable"]))
def test_every_weight_learns(name):
    small = {"model.units": UNITS, "embedding.units": D, "model.dropout": 0.0}
    small["model.initial_deviation"] = None
    keras.utils.set_random_seed(3)  # by chance all of so few units can be 0
    model = build_model(small_experiment(name, **small), vocabulary_size=WORDS)
    model.embedding.set_vectors(rand(WORDS, D))
    ids = np.arange(3, 27).reshape(2, 12)  # with words that are far from each other
    check_every_weight_learns(model, {"premise": ids, "hypothesis": ids + 2}, [0, 2])


def test_initial_weights_match_the_paper():
    model = build_model(small_experiment(), vocabulary_size=5)
    kernel = numpy_of(model.comparison.dense_layers[0].kernel)
    assert 0.0095 < kernel.std() < 0.0105


def test_settings_reach_every_network_of_the_model():
    settings = {"model.units": UNITS, "model.dropout": 0.25, "model.normalize": False}
    experiment = small_experiment("decomposable_intra", **settings)
    model = build_model(experiment, vocabulary_size=WORDS)
    assert (model.units, model.normalize) == (UNITS, False)
    networks = (model.intra_keys, model.keys, model.comparison, model.aggregation)
    assert {network.units for network in networks} == {UNITS}
    drops = [drop for network in networks for drop in network.drops]
    assert [drop.rate for drop in drops] == [0.25] * 8
    assert len({drop.seed for drop in drops}) == 8
