import json

import numpy as np
import pytest

import dsa
from dsa.data.corpora.catalogue import PARAPHRASE
from dsa.data.rows.model_rows import ModelRows
from dsa.errors import InputError
from dsa.experiment.input_config import EmbeddingConfig
from dsa.inference.loading import load
from dsa.models.model_config import ModelParts
from dsa.models.pair_baselines.config import (
    AdditionConfig,
    ALSTMConfig,
    build_addition,
    build_alstm,
)
from dsa.models.pair_baselines.pair_features import PairFeatureClassifier
from dsa.tasks.task import PAIR
from tests.support.layer_checks import (
    check_every_weight_learns,
    numpy_of,
    rand,
    randomize,
)
from tests.support.runs import write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

WORDS, UNITS = 13, 6


def make_parts(units=UNITS, features=0):
    return ModelParts(
        task=PARAPHRASE,
        embedding=EmbeddingConfig(units=units, trainable=True),
        vocabulary_size=WORDS,
        seed=1,
        copies=(PAIR,),
        features=features,
    )


def randomized(model):
    randomize(model)
    model.embedding.set_vectors(rand(WORDS, UNITS, seed=3))
    return model


def make_batch(features=None):
    random = np.random.default_rng(0)
    batch = {
        name: random.integers(1, WORDS, (2, length)).astype(np.int32)
        for name, length in zip(PAIR, (5, 7), strict=True)
    }
    return batch if features is None else {**batch, "features": features}


def classifier_features(model, batch):
    return numpy_of(model(batch, training=False, features_only=True))


def pad(batch):
    return {
        name: np.pad(x, ((0, 0), (0, 3))) if name in PAIR else x
        for name, x in batch.items()
    }


def count(model):
    return sum(int(np.prod(v.shape)) for v in model.trainable_variables)


def test_addition_returns_the_sums_and_the_features():
    extra = rand(2, 3, seed=5)
    model = randomized(
        build_addition(AdditionConfig(name="addition"), make_parts(features=3))
    )
    batch = make_batch(extra)
    vectors = model.embedding.vectors()
    sums = [vectors[batch[name]].sum(axis=1) for name in PAIR]
    expected = np.concatenate([*sums, extra], axis=1)
    np.testing.assert_allclose(classifier_features(model, batch), expected, rtol=1e-5)
    np.testing.assert_allclose(
        classifier_features(model, pad(batch)), expected, rtol=1e-5
    )


def test_parameter_counts_are_those_of_the_equations():
    config = AdditionConfig(name="addition")
    model = build_addition(config, make_parts(units=300))
    assert count(model) - 300 * WORDS == 1_202
    alstm = build_alstm(ALSTMConfig(name="alstm"), make_parts(units=300, features=4))
    assert count(alstm) - 300 * WORDS == 150_450 + (50 + 4) * 2 + 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def read_by_lstm(lstm, words, cell):
    """Returns the states of an LSTM that starts from a cell, and its final cell."""
    kernel, recurrent, bias = (numpy_of(w).astype(np.float64) for w in lstm.weights)
    state, states = np.zeros_like(cell), []
    for word in words:
        gates = np.split(word @ kernel + state @ recurrent + bias, 4)
        keep, forget, output = (sigmoid(gates[n]) for n in (0, 1, 3))
        cell = forget * cell + keep * np.tanh(gates[2])
        state = output * np.tanh(cell)
        states.append(state)
    return np.array(states), cell


def test_alstm_matches_the_equations():
    config = ALSTMConfig(name="alstm", units=4)
    model = randomized(build_alstm(config, make_parts()))
    batch = make_batch()
    vectors = model.embedding.vectors().astype(np.float64)
    maps = [
        numpy_of(layer.kernel).astype(np.float64)
        for layer in (
            model.of_states,
            model.of_last,
            model.score,
            model.of_attended,
            model.of_read,
        )
    ]
    of_states, of_last, score, of_attended, of_read = maps
    found = classifier_features(model, batch)
    for row in range(2):
        first, second = (vectors[batch[name][row]] for name in PAIR)
        states, cell = read_by_lstm(model.first, first, np.zeros(4))
        read = read_by_lstm(model.second, second, cell)[0][-1]
        scores = (np.tanh(states @ of_states + read @ of_last) @ score)[:, 0]
        weights = np.exp(scores) / np.exp(scores).sum()
        expected = np.tanh((weights @ states) @ of_attended + read @ of_read)
        np.testing.assert_allclose(found[row], expected, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(
        classifier_features(model, pad(batch)), found, rtol=1e-4, atol=1e-6
    )
    _, (attention,) = model.explain(batch)
    np.testing.assert_allclose(numpy_of(attention.values)[1], weights, rtol=1e-3)


def test_every_weight_of_alstm_learns():
    model = randomized(
        build_alstm(ALSTMConfig(name="alstm", units=4), make_parts(features=3))
    )
    check_every_weight_learns(model, make_batch(rand(2, 3)), [0, 1])


def test_the_pair_feature_classifier_saves_and_loads(tmp_path):
    model = PairFeatureClassifier(2, 3)
    kernel, bias = rand(2, 3).astype(np.float64), np.array([1.0, 2, 3])
    model.set_weights(kernel, bias)
    features = rand(4, 2, seed=2)
    rows = ModelRows(None, np.zeros((4, 2), int), PAIR, features)
    expected = features.astype(np.float64) @ kernel + bias
    np.testing.assert_array_equal(model.logits(rows), expected)
    path = tmp_path / "features.npz"
    model.save(path)
    other = PairFeatureClassifier(2, 3)
    other.load(path)
    np.testing.assert_array_equal(other.logits(rows), expected)
    with pytest.raises(InputError, match="not contain the weights of this run's"):
        PairFeatureClassifier(3, 3).load(path)
    with pytest.raises(InputError, match="missing"):
        other.load(tmp_path / "nothing.npz")


SMALL = {
    "addition": {"name": "addition"},
    "alstm": {"name": "alstm", "units": 4},
    "logistic": {"name": "pair_features"},
    "svm": {"name": "pair_features", "final_classifier": "svm"},
}


@pytest.mark.parametrize("model", SMALL)
def test_a_run_trains_is_loaded_and_predicts(tmp_path, model):
    features = {"names": ["lengths", "word_count"]}
    config = write_experiment(tmp_path, features=features, model=SMALL[model])
    run = dsa.train(config, tmp_path / "run", data_root=tmp_path)
    entry = dsa.evaluate(run, "test", data_root=tmp_path)
    again = dsa.evaluate(run, "test", data_root=tmp_path)
    assert entry["count"] > 0 and entry["loss"] == again["loss"]
    pairs = [("A man sleeps.", "A man rests."), ("A dog .", "A cat .")]
    (first, second) = load(run).predict(pairs)
    assert sum(first.probabilities.values()) == pytest.approx(1)
    assert load(run).predict(pairs[1:])[0].label == second.label


def test_without_features_the_majority_label_is_predicted(tmp_path):
    config = write_experiment(tmp_path, model={"name": "pair_features"})
    run = dsa.train(config, tmp_path / "run", data_root=tmp_path)
    pairs = [("A man sleeps.", "A man rests."), ("A dog .", "A cat .")]
    first, second = load(run).predict(pairs)
    assert first == second
    rows = map(json.loads, (tmp_path / "train.jsonl").read_text().splitlines())
    labels = [row["gold_label"] for row in rows if row["gold_label"] != "-"]
    assert labels.count(first.label) == max(map(labels.count, labels))
    assert first.probabilities[first.label] == pytest.approx(
        labels.count(first.label) / len(labels), abs=0.01
    )


def test_the_weight_decay_of_alstm_is_that_of_its_matrices():
    config = ALSTMConfig(name="alstm", units=4, l2=0.1, final_classifier="logistic")
    model = randomized(build_alstm(config, make_parts()))
    decayed = [model.logits.kernel]
    for lstm in (model.first, model.second):
        decayed += [lstm.cell.kernel, lstm.cell.recurrent_kernel]
    for layer in (model.of_states, model.of_last, model.of_attended, model.of_read):
        decayed.append(layer.kernel)
    squares = [(numpy_of(w).astype(np.float64) ** 2).sum() for w in decayed]
    found = float(numpy_of(sum(model.losses)))
    assert found == pytest.approx(0.1 * sum(squares), rel=1e-5)
    assert model.decision is not None


def test_addition_can_predict_with_its_own_layer():
    config = AdditionConfig(name="addition", final_classifier="network")
    assert build_addition(config, make_parts()).decision is None


def test_alstm_appends_the_features():
    config = ALSTMConfig(name="alstm", units=4)
    model = randomized(build_alstm(config, make_parts(features=3)))
    extra = rand(2, 3, seed=5)
    found = classifier_features(model, make_batch(extra))
    assert found.shape == (2, 4 + 3)
    np.testing.assert_allclose(found[:, 4:], extra, rtol=1e-6)
