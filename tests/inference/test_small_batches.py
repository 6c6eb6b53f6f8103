"""One pair or a few of them go straight to a compiled call."""

import numpy as np
import pytest

import dsa
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.inference import corpus_inference
from dsa.inference.corpus_inference import PairInference
from dsa.tasks.task import PAIR

pytestmark = pytest.mark.keras  # run on JAX in CI too


def make_rows(count, longest, seed=0):
    random = np.random.default_rng(seed)
    lists = [
        random.integers(1, 20, random.integers(1, longest + 1)).tolist()
        for _ in range(2 * count)
    ]
    texts = np.arange(2 * count).reshape(count, 2)
    return ModelRows(Sentences.from_lists(lists), texts, PAIR)


@pytest.fixture
def trained(finished):
    return dsa.load(finished / "run")


@pytest.fixture
def calls(monkeypatch):
    """The shapes of what models get in one call, and how often many batches are fed."""
    import keras

    from dsa.backends.compilation import CompiledCall

    seen = {"shapes": [], "fed": 0}
    call, fed = CompiledCall.predict_on_batch, corpus_inference.feed

    def record(model, batch):
        shapes = keras.tree.map_structure(np.shape, batch)
        seen["shapes"].append((model.name, str(shapes)))
        return call(model, batch)

    def count(batches):
        seen["fed"] += 1
        return fed(batches)

    monkeypatch.setattr(CompiledCall, "predict_on_batch", record)
    monkeypatch.setattr(corpus_inference, "feed", count)
    return seen


def test_a_row_has_the_same_logits_by_itself_and_among_many(trained, calls):
    rows = make_rows(400, 30)
    together = trained.inference.logits(rows)
    assert calls["fed"] == 1  # many sentences; their pairs are one batch
    for chosen in ([0], [7, 3], list(range(5, 25))):
        calls["fed"] = 0
        alone = trained.inference.logits(rows.select(np.array(chosen)))
        np.testing.assert_allclose(alone, together[chosen], rtol=1e-5, atol=1e-6)
        assert calls["fed"] == 0


def test_a_pair_model_too(trained, calls):
    def sums(batch, training):
        from keras import ops

        parts = [ops.sum(batch[name], axis=1, keepdims=True) for name in PAIR]
        return ops.cast(ops.concatenate(parts, axis=1), "float32")

    inference, rows = PairInference(sums), make_rows(300, 20)
    lists = [
        np.array(one)
        for one in np.split(rows.sentences.ids, rows.sentences.offsets[1:-1])
    ]
    expected = np.array(
        [[lists[a].sum(), lists[b].sum()] for a, b in rows.sentence_indices]
    )
    np.testing.assert_array_equal(inference.logits(rows), expected)
    assert calls["fed"] == 1
    for chosen in ([299], [4, 1, 200]):
        alone = inference.logits(rows.select(np.array(chosen)))
        np.testing.assert_array_equal(alone, expected[chosen])
    assert calls["fed"] == 1


def test_where_each_shape_is_compiled_there_are_few(trained, calls, monkeypatch):
    monkeypatch.setattr(corpus_inference, "compiles_each_shape", lambda: True)
    random = np.random.default_rng(3)
    for seed in range(40):
        rows = make_rows(int(random.integers(1, 17)), int(random.integers(1, 61)), seed)
        assert trained.inference.logits(rows).shape == (len(rows), 3)
    encoded = {shape for name, shape in calls["shapes"]}
    # 2 to 32 sentences of 8 to 64 tokens, and 1 to 16 pairs of vectors: powers of two
    assert len(encoded) <= 5 * 4 + 5
    assert len(calls["shapes"]) == 80


def test_vectors_are_float32_whatever_the_model_computes_with(trained, monkeypatch):
    """JAX gives bfloat16 where the model does, which no NumPy file can hold."""
    from ml_dtypes import bfloat16

    from dsa.backends.compilation import CompiledCall

    expected = trained.encode(["A man sleeps."])
    monkeypatch.setattr(corpus_inference, "compiles_each_shape", lambda: True)
    call = CompiledCall.predict_on_batch
    monkeypatch.setattr(
        CompiledCall,
        "predict_on_batch",
        lambda model, batch: call(model, batch).astype(bfloat16),
    )
    vectors = trained.encode(["A man sleeps."])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, rtol=1e-2, atol=1e-2)
