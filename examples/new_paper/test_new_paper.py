"""Tests of the settings, the equation, padding invariance and a short training."""

import inspect
import pathlib

import numpy as np
from keras import ops
from new_paper.config import NewPaperConfig
from new_paper.encoder import NewPaperEncoder

import dsa

CONFIG = pathlib.Path(__file__).with_name("new_paper.yaml")
B, L, D, UNITS = 2, 5, 7, 3  # primes: a swapped axis cannot pass by luck


def make_words(*shape):
    return np.random.default_rng(0).normal(size=shape).astype("float32")


def test_every_argument_of_the_encoder_is_a_setting():
    arguments = set(inspect.signature(NewPaperEncoder.__init__).parameters)
    settings = set(NewPaperConfig.model_fields) - {"name", "classifier"}
    assert arguments - {"self", "seed", "kwargs"} == settings


def test_the_vector_matches_the_equation():
    x, layer = make_words(B, L, D), NewPaperEncoder(UNITS, dropout=0.1, seed=1)
    vector = ops.convert_to_numpy(layer(x))
    w, c, W, b = (ops.convert_to_numpy(v) for v in layer.trainable_weights)
    weights = np.exp(x @ w + c)  # (B, L, 1)
    weights /= weights.sum(axis=1, keepdims=True)
    expected = (weights * np.tanh(x @ W + b)).sum(axis=1)
    np.testing.assert_allclose(vector, expected, rtol=1e-5, atol=1e-6)


def test_padding_does_not_change_the_sentence():
    x, layer = make_words(1, L, D), NewPaperEncoder(UNITS, dropout=0.1, seed=1)
    alone = ops.convert_to_numpy(layer(x))
    longer = np.pad(x, ((0, 0), (0, 4), (0, 0)), constant_values=np.nan)
    padded = layer(longer, mask=np.arange(L + 4)[None] < L)
    np.testing.assert_allclose(ops.convert_to_numpy(padded), alone, atol=1e-6)


def test_it_trains_and_predicts(tmp_path):
    overrides = {"training.steps": 3, "training.evaluate_every": 3}
    model = dsa.load(dsa.train(CONFIG, tmp_path / "run", overrides))
    (prediction,) = model.predict([("A man sleeps.", "Someone is awake.")])
    assert prediction.label in ("entailment", "neutral", "contradiction")
    maps = model.explain("A man sleeps.", "Someone is awake.")
    assert maps["premise.word_weight"].by_token().sum().round(5) == 1
