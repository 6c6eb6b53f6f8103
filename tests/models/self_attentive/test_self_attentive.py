"""Self-attentive sentence embedding against its equations, in NumPy float64."""

import keras
import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.layers.bilstm import BiLSTM
from dsa.models.building import build_model
from dsa.models.self_attentive.encoder import (
    HopRelation,
    SelfAttentiveEncoder,
    StructuredAttention,
    measure_overlap,
    measure_token_overlap,
)
from tests.support.ci_cases import first_on_jax
from tests.support.equations import softmax
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

B, L, D, UNITS, HIDDEN, HOPS, RELATION = 2, 7, 5, 3, 11, 4, 13
IDS = {
    "premise": np.array([[3, 4, 5, 6], [7, 8, 9, 0], [4, 2, 0, 0]]),
    "hypothesis": np.array([[4, 2, 0], [5, 9, 7], [3, 0, 0]]),
}
NAMES = ("self_attentive", "self_attentive_gated")


def make_attention(**arguments):
    return StructuredAttention(HIDDEN, HOPS, **arguments)


def make_encoder(**arguments):
    context = BiLSTM(UNITS, name="bilstm")
    pooling = make_attention(name="structured_attention")
    return SelfAttentiveEncoder(pooling, context, **{"name": "encoder", **arguments})


def attend(h, w):
    """Section 2.1: the matrices A and M of one sentence."""
    scores = w["scores"]["kernel"].T @ np.tanh(w["hidden"]["kernel"].T @ h.T)
    attention = np.array([softmax(row) for row in scores])
    return attention, attention @ h


def test_it_matches_the_equations():
    x, layer = rand(B, L, D), make_encoder()
    layer(x)
    randomize(layer)
    vectors, maps = layer(x, return_attention=True)
    weights = values_by_name(maps)["structured_attention"]
    w = weights_of(layer)
    for sentence in range(B):
        h = bilstm(x[sentence].astype(np.float64), w["bilstm"])
        attention, rows = attend(h, w["structured_attention"])
        np.testing.assert_allclose(weights[sentence], attention.T, rtol=1e-4, atol=1e-6)
        found = numpy_of(vectors)[sentence].reshape(HOPS, 2 * UNITS)
        np.testing.assert_allclose(found, rows, rtol=1e-4, atol=1e-5)


def published_penalty(attention):
    return np.linalg.norm(attention @ attention.T - np.eye(HOPS), "fro") ** 2


def released_penalty(attention):
    tokens = attention.shape[1]
    return np.mean((attention.T @ attention - np.eye(tokens)) ** 2)


PENALTIES = {"published": published_penalty, "released": released_penalty}


@pytest.mark.parametrize("form", PENALTIES)
def test_the_penalty_is_the_distance_from_the_identity(form):
    x, layer = rand(B, L, D), make_encoder(penalty=0.7, penalty_form=form)
    mask = np.array([[True] * L, [True] * 4 + [False] * (L - 4)])
    layer(x, mask=mask)
    randomize(layer)
    _, maps = layer(x, mask=mask, return_attention=True)
    w, expected = weights_of(layer), []
    for sentence, real in zip(x.astype(np.float64), mask, strict=True):
        h = bilstm(sentence[real], w["bilstm"])
        attention, _ = attend(h, w["structured_attention"])
        expected.append(PENALTIES[form](attention))
    penalty = float(layer.penalize(maps, mask))
    assert penalty == pytest.approx(0.7 * np.mean(expected), rel=1e-5)


def test_the_penalty_is_added_only_in_training():
    model = build_small("self_attentive")
    model(IDS)
    assert model.losses == []
    model(IDS, training=True)
    assert len(model.losses) == 2  # of premise and hypothesis


def test_hops_on_different_tokens_have_no_overlap():
    apart, same = np.eye(3, dtype="f4")[None], np.ones((1, 4, 3), "f4") / 4
    overlaps = [float(numpy_of(measure_overlap(a))[0]) for a in (apart, same)]
    # all nine products are 1/4
    assert overlaps == pytest.approx([0, 3 * 0.75**2 + 6 * 0.25**2])
    real = np.ones((1, 4), bool)
    # all sixteen products of tokens are 3/16
    expected = (4 * (13 / 16) ** 2 + 12 * (3 / 16) ** 2) / 16
    assert float(numpy_of(measure_token_overlap(same, real))[0]) == pytest.approx(
        expected
    )
    assert float(numpy_of(measure_token_overlap(apart, real[:, :3]))[0]) == 0


@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_sentence(fill):
    x, layer = rand(1, L, D), make_encoder()
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    longer = np.pad(x, ((0, 0), (0, 3), (0, 0)), constant_values=fill)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded, alone, rtol=1e-5, atol=1e-6)


def test_it_is_a_layer():
    x = rand(B, L, D)
    check_layer(lambda **more: make_attention(**more), x, weights=2)
    check_layer(lambda **more: make_encoder(penalty=0.5, **more), x, weights=8)


def test_hop_relation_compares_matrices_row_by_row():
    layer = HopRelation(HOPS, RELATION, name="relation")
    m_p, m_h = rand(B, HOPS * D), rand(B, HOPS * D, seed=1)
    layer(m_p, m_h)
    randomize(layer)
    w, found = weights_of(layer), numpy_of(layer(m_p, m_h))
    for pair in range(B):
        rows = [m[pair].reshape(HOPS, D).astype(np.float64) for m in (m_p, m_h)]
        expected = [
            (rows[0][i] @ w["premise_maps"][i]) * (rows[1][i] @ w["hypothesis_maps"][i])
            for i in range(HOPS)
        ]
        np.testing.assert_allclose(
            found[pair], np.concatenate(expected), rtol=1e-4, atol=1e-5
        )
    vector = rand(B, HOPS * D)
    check_layer(
        lambda **more: HopRelation(HOPS, RELATION, **more), vector, vector, weights=2
    )


def small_experiment(name, **overrides):
    settings = {"embedding.path": None, "embedding.trainable": True, **overrides}
    return load_experiment(f"configs/snli/{name}.yaml", settings)


def build_small(name, **more):
    settings = {
        "embedding.units": D,
        "model.units": UNITS,
        "model.attention_units": HIDDEN,
        "model.hops": HOPS,
        "model.classifier.units": 7,
        "model.classifier.dropout": 0.0,
        **more,
    }
    if name == "self_attentive_gated":
        settings["model.relation_units"] = RELATION
        settings["model.classifier.input_dropout"] = 0.0
    model = build_model(small_experiment(name, **settings), vocabulary_size=11)
    model.embedding.set_vectors(rand(11, D))
    return model


def test_a_gated_pair_is_classified_by_the_products_of_its_hops():
    model = build_small("self_attentive_gated")
    for layer in (model.encoder, model.relation, model.hidden, model.logits):
        randomize(layer)
    logits, vectors = numpy_of(model(IDS)), rand(11, D).astype(np.float64)
    encoder, maps = weights_of(model.encoder), weights_of(model.relation)
    for pair in range(3):
        sides = []
        for side, ids in IDS.items():
            h = bilstm(vectors[ids[pair][ids[pair] > 0]], encoder["bilstm"])
            _, rows = attend(h, encoder["structured_attention"])
            sides.append(np.einsum("rd,rdf->rf", rows, maps[f"{side}_maps"]))
        hidden = (sides[0] * sides[1]).ravel()
        for layer in (model.hidden, *model.deeper):
            kernel, bias = (value.astype(np.float64) for value in layer.get_weights())
            hidden = np.maximum(hidden @ kernel + bias, 0)
        kernel, bias = model.logits.get_weights()
        expected = hidden @ kernel + bias
        np.testing.assert_allclose(logits[pair], expected, rtol=1e-3, atol=1e-4)


def test_a_gated_pair_shows_the_attention_of_both_sentences():
    logits, maps = build_small("self_attentive_gated").explain(IDS)
    assert logits.shape == (3, 3)
    shapes = {one.sentence: one.values.shape for one in maps}
    assert shapes == {"premise": (3, 4, HOPS), "hypothesis": (3, 3, HOPS)}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        # Bi-LSTM 1,442,400; 600 x 150 + 150 x 30; [72,000, 300] in the classifier
        ("self_attentive", 1_442_400 + 94_500 + 21_600_300 + 903),
        # what the released code counted for its log, less 41,245 words and what it has
        # alone: biases of the attention's two layers, learned first states of the LSTM
        (
            "self_attentive_gated",
            107_527_783 - 41_245 * 300 - (150 + 30) - 2 * 2 * 300,
        ),
    ],
)
def test_the_parameter_count_matches_a_hand_calculation(name, parameters):
    model = build_model(small_experiment(name), vocabulary_size=5)
    counts = [int(np.prod(v.shape)) for v in model.trainable_variables]
    assert sum(counts) - 5 * 300 == parameters


@pytest.mark.parametrize("name", first_on_jax(NAMES))
def test_every_weight_learns(name):
    check_every_weight_learns(build_small(name), IDS, [0, 1, 2])


@pytest.mark.parametrize("form", PENALTIES)
@pytest.mark.parametrize("name", NAMES)
def test_training_adds_the_penalty_of_both_sentences(name, form):
    model = build_small(name, **{"model.penalty": 0.3, "model.penalty_form": form})
    labels, vectors = np.array([0, 1, 2]), rand(11, D).astype(np.float64)
    w = weights_of(model.encoder)
    penalty = 0.0
    for ids in IDS.values():
        for row in ids:
            h = bilstm(vectors[row[row > 0]], w["bilstm"])
            attention, _ = attend(h, w["structured_attention"])
            penalty += 0.3 * PENALTIES[form](attention) / len(ids)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    expected = float(loss(labels, model(IDS))) + penalty
    model.compile("sgd", loss, jit_compile=False)
    assert float(model.train_on_batch(IDS, labels)) == pytest.approx(expected, rel=1e-4)


def test_an_unknown_penalty_form_is_an_error():
    message = "`penalty_form` must be one of .* Received: penalty_form='squared'$"
    with pytest.raises(ValueError, match=message):
        make_encoder(penalty_form="squared")
