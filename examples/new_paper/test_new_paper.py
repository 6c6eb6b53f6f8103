"""The model's equation in NumPy, what padding may not do, and a short training."""

import pathlib

import numpy as np
from keras import ops
from new_paper.encoder import NewPaperEncoder

import dsa

CONFIG = pathlib.Path(__file__).with_name("new_paper.yaml")
B, L, D, UNITS = 2, 5, 7, 3  # primes: a swapped axis cannot pass by luck


def make_words(*shape):
    return np.random.default_rng(0).normal(size=shape).astype("float32")


def test_it_is_the_equation_of_the_paper():
    x, layer = make_words(B, L, D), NewPaperEncoder(UNITS)
    vector = ops.convert_to_numpy(layer(x))
    scores, c, kernel, b = (ops.convert_to_numpy(w) for w in layer.weights)
    weights = np.exp(x @ scores + c)  # (B, L, 1)
    weights /= weights.sum(axis=1, keepdims=True)
    expected = (weights * np.tanh(x @ kernel + b)).sum(axis=1)
    np.testing.assert_allclose(vector, expected, rtol=1e-5, atol=1e-6)


def test_padding_does_not_change_the_sentence():
    x, layer = make_words(1, L, D), NewPaperEncoder(UNITS)
    alone = ops.convert_to_numpy(layer(x))
    longer = np.pad(x, ((0, 0), (0, 4), (0, 0)), constant_values=np.nan)
    padded = layer(longer, mask=np.arange(L + 4)[None] < L)
    np.testing.assert_allclose(ops.convert_to_numpy(padded), alone, atol=1e-6)


def test_it_trains_and_answers(tmp_path):
    few = {"training.steps": 3, "training.evaluate_every": 3}
    run = dsa.train(CONFIG, tmp_path / "run", few)
    model = dsa.load(run)
    answer = model.predict([("A man sleeps.", "Someone is awake.")])[0]
    assert answer.label in ("entailment", "neutral", "contradiction")
    look = model.explain("A man sleeps.", "Someone is awake.")
    assert look["premise.word_weight"].by_token().sum().round(5) == 1
