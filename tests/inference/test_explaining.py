"""`explain` by a compiled call gives what the model's own `explain` gives."""

import keras
import numpy as np
import pytest
from ml_dtypes import bfloat16

import dsa
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.experiment.yaml_file import load_experiment
from dsa.explanation import MapKind, TokenMap
from dsa.inference import corpus_inference, explaining
from dsa.inference.corpus_inference import build_inference
from dsa.models.building import build_model
from tests.support.ci_cases import first_on_jax

pytestmark = pytest.mark.keras  # run on JAX in CI too

SMALL = {"embedding.units": 6, "embedding.path": None, "embedding.trainable": True}
MODELS = {
    "snli/dsa": {"model.units": 6, "model.heads": 2, "model.classifier.units": 5},
    "snli/aesim": {"model.units": 6},
    "sick_entailment/abcnn3": {"model.filters": 5},
}


def make_row(experiment, *lengths):
    """`ModelRows` of one row, of sentences of some lengths."""
    random = np.random.default_rng(sum(lengths))
    inputs = experiment.inputs
    lists = [
        random.integers(1, 20, lengths[number % 2]).tolist()
        for number in range(len(inputs))
    ]
    texts = np.arange(len(inputs))[None]
    count = experiment.feature_count
    features = random.normal(size=(1, count)).astype(np.float32) if count else None
    return ModelRows(Sentences.from_lists(lists), texts, inputs, features)


@pytest.mark.parametrize("padded", first_on_jax([True, False]))
@pytest.mark.parametrize(
    "name",
    [
        "snli/dsa",
        *(
            pytest.param(name, marks=pytest.mark.exhaustive)
            for name in MODELS
            if name != "snli/dsa"
        ),
    ],
)
def test_it_is_equal_with_and_without_padding(name, padded, monkeypatch):
    monkeypatch.setattr(corpus_inference, "compiles_each_shape", lambda: padded)
    experiment = load_experiment(f"configs/{name}.yaml", SMALL | MODELS[name])
    keras.utils.set_random_seed(3)
    model = build_model(experiment, 20)
    model.embedding.set_vectors(np.random.default_rng(0).normal(size=(20, 6)))
    inference = build_inference(experiment.family, model)
    for lengths in ((4, 7), (1, 3), (9, 2)):
        row = make_row(experiment, *lengths)
        logits, maps = inference.explain(row)
        expected, of_model = model.explain(row.pad(np.array([0]), row.lengths[0]))
        expected = keras.ops.convert_to_numpy(expected)
        np.testing.assert_allclose(logits, expected[0], atol=1e-6)
        assert len(maps) == len(of_model) > 0
        for one, other in zip(maps, of_model, strict=True):
            assert (one.name, one.sentence) == (other.name, other.sentence)
            values = keras.ops.convert_to_numpy(other.values)[0]
            np.testing.assert_allclose(one.values, values, rtol=1e-5, atol=1e-6)


def test_where_each_shape_is_compiled_there_are_few(finished, monkeypatch):
    from dsa.backends.compilation import CompiledCall

    shapes, call = [], CompiledCall.predict_on_batch

    def record(model, batch):
        shapes.append(str(keras.tree.map_structure(np.shape, batch)))
        return call(model, batch)

    monkeypatch.setattr(CompiledCall, "predict_on_batch", record)
    monkeypatch.setattr(corpus_inference, "compiles_each_shape", lambda: True)
    trained = dsa.load(finished / "run")
    for length in range(1, 40):
        look = trained.explain("man " * length, "A dog .")
        assert len(look.tokens["premise"]) == length
        assert look["premise.attention_forward"].values.shape == (3, length, length)
    assert len(shapes) == 39
    assert len(set(shapes)) == 4  # premises of 8, 16, 32 and 64 tokens


def test_maps_of_a_bfloat16_run_are_averaged_in_float32():
    gate = np.full((1, 4, 300), 0.5, bfloat16)
    token_map = TokenMap("gate", MapKind.TOKEN_BY_FEATURE, gate)
    found = explaining._remove_padding(token_map, {"sentence": 2})
    assert found.values.dtype == np.float32 and found.values.shape == (2, 300)
    assert found.by_token().tolist() == [0.5, 0.5]  # 0.427 in bfloat16
