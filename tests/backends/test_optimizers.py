import keras
import numpy as np
import pytest

from dsa.backends.optimizers import OPTIMIZERS
from tests.support.layer_checks import numpy_of, rand

pytestmark = pytest.mark.keras  # run on JAX in CI too

WORDS, D, BATCH, LENGTH = 11, 4, 6, 3


def adam(w, g, rate, state, step, betas=(0.9, 0.999), epsilon=1e-7):
    beta_1, beta_2 = betas
    m, v = state.get("m", 0), state.get("v", 0)
    state["m"] = m = beta_1 * m + (1 - beta_1) * g
    state["v"] = v = beta_2 * v + (1 - beta_2) * g**2
    rate = rate * np.sqrt(1 - beta_2**step) / (1 - beta_1**step)
    return w - rate * m / (np.sqrt(v) + epsilon)


def adamw(w, g, rate, state, step, weight_decay=0.004, **settings):
    return adam(w - rate * weight_decay * w, g, rate, state, step, **settings)


def adadelta(w, g, rate, state, step, rho=0.95, epsilon=1e-7):
    moved = state.get("moved", 0)
    state["seen"] = seen = rho * state.get("seen", 0) + (1 - rho) * g**2
    delta = np.sqrt(moved + epsilon) / np.sqrt(seen + epsilon) * g
    state["moved"] = rho * moved + (1 - rho) * delta**2
    return w - rate * delta


def adagrad(w, g, rate, state, step, epsilon=1e-7):
    state["seen"] = seen = state.get("seen", 0.1) + g**2
    return w - rate * g / np.sqrt(seen + epsilon)


def sgd(w, g, rate, state, step, momentum=0.0, weight_decay=0.0):
    w = w - rate * weight_decay * w
    state["v"] = v = momentum * state.get("v", 0) - rate * g
    return w + v


RULES = {
    "adam": adam,
    "adamw": adamw,
    "adadelta": adadelta,
    "adagrad": adagrad,
    "sgd": sgd,
}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("adam", {}),
        ("adam", {"beta_1": 0.5, "epsilon": 1e-3}),
        ("adamw", {"weight_decay": 0.3, "epsilon": 1e-3}),
        ("adadelta", {"epsilon": 1e-8}),
        ("adagrad", {}),
        ("sgd", {}),
        ("sgd", {"momentum": 0.9}),
        ("sgd", {"weight_decay": 0.3}),
        ("sgd", {"global_clipnorm": 0.05}),  # all norms are larger
        ("adam", {"global_clipnorm": 0.05, "epsilon": 1e-3}),
    ],
)
def test_updates_follow_the_rule_for_words_that_occur_several_times(name, settings):
    words = keras.layers.Embedding(WORDS, D)
    model = keras.Sequential([keras.Input((LENGTH,), dtype="int32"), words])
    table = rand(WORDS, D).astype(np.float64)
    words.set_weights([table])
    optimizer = OPTIMIZERS[name](0.1, **settings)
    model.compile(optimizer, "mse", jit_compile=False)
    rule = {key: settings[key] for key in settings if key != "global_clipnorm"}
    if "beta_1" in rule:
        rule["betas"] = rule.pop("beta_1"), 0.999
    random, state = np.random.default_rng(0), {}
    for step in range(1, 6):
        rate = 0.1 if step < 3 else 0.05
        optimizer.learning_rate = rate
        ids = random.integers(0, 9, (BATCH, LENGTH), np.int32)  # two words never occur
        target = random.normal(size=(BATCH, LENGTH, D)).astype(np.float32)
        model.train_on_batch(ids, target)
        gradient = np.zeros_like(table)
        np.add.at(gradient, ids, 2 * (table[ids] - target) / target.size)
        if norm := settings.get("global_clipnorm"):
            assert np.linalg.norm(gradient) > 2 * norm
            gradient *= norm / np.linalg.norm(gradient)
        table = RULES[name](table, gradient, rate, state, step, **rule)
    learned = numpy_of(words.embeddings)
    np.testing.assert_allclose(learned, table, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", RULES)
def test_gradients_of_three_steps_are_accumulated_to_one_update(name):
    words = keras.layers.Embedding(WORDS, D)
    model = keras.Sequential([keras.Input((LENGTH,), dtype="int32"), words])
    table = rand(WORDS, D).astype(np.float64)
    words.set_weights([table])
    settings = {"global_clipnorm": 0.02, "gradient_accumulation_steps": 3}
    model.compile(OPTIMIZERS[name](0.1, **settings), "mse", jit_compile=False)
    random, state, total = np.random.default_rng(0), {}, 0
    for step in range(1, 8):  # the incomplete accumulation at the end has no effect
        ids = random.integers(0, 9, (BATCH, LENGTH), np.int32)
        target = random.normal(size=(BATCH, LENGTH, D)).astype(np.float32)
        model.train_on_batch(ids, target)
        gradient = np.zeros_like(table)
        np.add.at(gradient, ids, 2 * (table[ids] - target) / target.size)
        total = total + gradient / 3
        if step % 3 == 0:
            norm = np.linalg.norm(total)
            assert norm > 0.02  # the sum is clipped, not the single gradients
            total *= 0.02 / norm
            table, total = RULES[name](table, total, 0.1, state, step // 3), 0
    learned = numpy_of(words.embeddings)
    np.testing.assert_allclose(learned, table, rtol=1e-4, atol=1e-5)
