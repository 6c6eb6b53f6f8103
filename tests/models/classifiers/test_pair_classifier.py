import keras
import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.building import build_model
from dsa.models.classifiers.sentence_classifiers import SentencePairClassifier
from dsa.models.dsa.encoder import DSAEncoder
from tests.support import equations
from tests.support.ci_cases import first_on_jax
from tests.support.layer_checks import (
    check_every_weight_learns,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

WORDS, D, UNITS, HEADS, LABELS = 23, 5, 6, 3, 3
PREMISE = np.array([[3, 4, 5, 6, 7, 8, 9], [2, 1, 22, 0, 0, 0, 0]], np.int32)
HYPOTHESIS = np.array([[3, 9, 7, 20, 1], [5, 0, 0, 0, 0]], np.int32)
INPUTS = {"premise": PREMISE, "hypothesis": HYPOTHESIS}


def classifier(seed=1, **arguments):
    keras.utils.set_random_seed(seed)
    model = SentencePairClassifier(
        WordEmbedding(WORDS, D, projection=arguments.pop("projection", None)),
        DSAEncoder(UNITS, HEADS, seed=seed, dropout=0.1),
        units=11,
        seed=seed,
        **arguments,
    )
    model(INPUTS)
    model.embedding.set_vectors(rand(WORDS, D))
    return model


def test_it_matches_the_equations_of_the_paper():
    model = classifier()
    for layer in (model.encoder, model.hidden, model.logits):
        randomize(layer)
    logits = numpy_of(model(INPUTS))
    vectors, w = rand(WORDS, D).astype(np.float64), weights_of(model.encoder)
    head = {"hidden": weights_of(model.hidden), "logits": weights_of(model.logits)}
    for row in range(2):
        u, v = (
            equations.encoder(vectors[ids[row][ids[row] > 0]], w, HEADS, alpha=1.5)
            for ids in (PREMISE, HYPOTHESIS)
        )
        expected = equations.pair_logits(u, v, head)
        np.testing.assert_allclose(logits[row], expected, rtol=1e-3, atol=1e-3)


def test_a_pair_has_the_same_logits_alone_and_in_a_batch():
    model = classifier()
    together = numpy_of(model(INPUTS))
    alone = numpy_of(
        model({"premise": PREMISE[1:, :3], "hypothesis": HYPOTHESIS[1:, :1]})
    )
    np.testing.assert_allclose(together[1:], alone, rtol=1e-5, atol=1e-5)


def test_a_sentence_of_unknown_words_has_finite_logits():
    model = classifier()
    ones = np.ones((1, 3), np.int32)
    assert np.isfinite(numpy_of(model({"premise": ones, "hypothesis": ones}))).all()


@pytest.mark.slow
@pytest.mark.parametrize("projection", first_on_jax([None, 7]))
def test_every_weight_learns(projection):
    model = classifier(projection=projection)
    # a constant that is added to all keys does not change the attention weights
    constant = "self_attention/key/layer_norm/beta"
    check_every_weight_learns(model, INPUTS, [0, 2], without_effect=constant)


def test_weights_survive_saving_and_loading(tmp_path):
    model, other = classifier(seed=1), classifier(seed=2)
    assert np.abs(numpy_of(model(INPUTS)) - numpy_of(other(INPUTS))).max() > 1e-3
    model.save_weights(tmp_path / "a.weights.h5")
    other.load_weights(tmp_path / "a.weights.h5")
    np.testing.assert_array_equal(numpy_of(model(INPUTS)), numpy_of(other(INPUTS)))


def test_explain_returns_the_logits_and_the_maps_of_each_sentence():
    model = classifier()
    logits, maps = model.explain(INPUTS)
    arrays = {(one.sentence, one.name): one.values for one in maps}
    np.testing.assert_allclose(
        numpy_of(logits), numpy_of(model(INPUTS)), rtol=1e-5, atol=1e-6
    )
    assert arrays["premise", "attention_forward"].shape == (2, HEADS, 7, 7)
    assert arrays["hypothesis", "source2token"].shape == (2, 5, 2 * UNITS)


def test_hidden_dropout_is_between_hidden_layers():
    model = classifier(layers=3, dropout=0.0, hidden_dropout=0.5)
    layers = (model.hidden, *model.deeper)
    assert [layer.drop.rate for layer in layers] == [0, 0.5, 0.5]
    vectors = [rand(2, 4 * UNITS, seed=seed) for seed in (1, 2)]

    def classify(training):
        return numpy_of(model.classify(*vectors, training=training))

    np.testing.assert_array_equal(classify(False), classify(False))
    assert np.abs(classify(True) - classify(True)).max() > 1e-3


@pytest.mark.parametrize(
    ("rates", "drops"),
    [
        ({"input_dropout": 0.5, "dropout": 0.0}, True),
        ({"input_dropout": 0.0, "dropout": 0.5}, True),
        ({"input_dropout": 0.0, "dropout": 0.0}, False),
    ],
)
def test_each_dropout_of_the_classifier_is_active_in_training(rates, drops):
    model = classifier(layers=1, **rates)
    vectors = [rand(2, 4 * UNITS, seed=seed) for seed in (1, 2)]
    trained = numpy_of(model.classify(*vectors, training=True))
    difference = trained - numpy_of(model.classify(*vectors, training=False))
    assert (np.abs(difference).max() > 1e-3) == drops


CLASSIFIER = {
    "units": 7,
    "layers": 3,
    "dropout": 0.4,
    "input_dropout": 0.2,
    "hidden_dropout": 0.3,
    "difference": "signed",
    "activation": "elu",
    "l2": 0.5,
}


@pytest.mark.parametrize("name", ["cbow", "self_attentive_gated"])
def test_every_setting_of_the_classifier_reaches_its_layers(name):
    settings = {f"model.classifier.{key}": CLASSIFIER[key] for key in CLASSIFIER}
    settings |= {"embedding.path": None, "embedding.trainable": True}
    settings["embedding.units"] = 5
    if name == "self_attentive_gated":
        sizes = ("units", "attention_units", "hops", "relation_units")
        settings |= {f"model.{size}": 4 for size in sizes}
    model = build_model(load_experiment(f"configs/snli/{name}.yaml", settings), 9)
    layers = (model.hidden, *model.deeper)
    assert [layer.dropout for layer in layers] == [0, 0.3, 0.3]
    found = {(layer.units, layer.activation, layer.l2) for layer in layers}
    assert found == {(7, "elu", 0.5)}
    assert (model.input_drop.rate, model.drop.rate) == (0.2, 0.4)
    assert model.logits.kernel.regularizer is not None
    assert name != "cbow" or model.difference == "signed"


def test_order_of_premise_and_hypothesis_matters():
    model = classifier()
    swapped = {"premise": HYPOTHESIS, "hypothesis": PREMISE}
    assert np.abs(numpy_of(model(INPUTS)) - numpy_of(model(swapped))).max() > 1e-3
