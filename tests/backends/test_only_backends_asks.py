"""`dsa/backends/` is the only package that asks which backend runs, or that uses
private parts of Keras."""

import ast
import re
from pathlib import Path

import keras
import pytest

QUESTIONS = re.compile(
    r"\bbackend\.backend\(|\bimport backend\b|jax_state_sync|keras\.src"
    r"|['\"]KERAS_BACKEND|^\s*(import|from) (tensorflow|jax|torch)\b",
    re.MULTILINE,
)


def private_names_in_keras():
    """The private attributes and methods of layers, models, optimizers, callbacks."""
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    optimizers = keras.optimizers.Adam(), keras.optimizers.Adadelta()
    for optimizer in optimizers:
        optimizer.build(model.trainable_variables)
    parts = *model.layers, model, *optimizers, keras.callbacks.Callback()
    names = {name for part in parts for name in dir(part)}
    return {name for name in names if re.match("_[a-z]", name)}


PRIVATE = private_names_in_keras()
MODULES = [
    path
    for path in sorted(Path("dsa").rglob("*.py"))
    if path.parts[:2] != ("dsa", "backends")
]


def find_questions(source):
    """The lines of a module that ask for the backend or name private parts."""
    lines = {source.count("\n", 0, m.end()) + 1 for m in QUESTIONS.finditer(source)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in PRIVATE:
            lines.add(node.lineno)
    return sorted(lines)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_no_other_module_asks_for_the_backend(path):
    assert find_questions(path.read_text()) == [], "move this to dsa/backends/"


@pytest.mark.parametrize(
    "line",
    [
        'if keras.backend.backend() == "jax": pass',
        "from keras import backend",
        "model.jax_state_sync()",
        'backend = os.environ["KERAS_BACKEND"]',
        "from keras.src import trainers",
        "    import tensorflow as tf".strip(),
        "optimizer._momentums",
        "self._trainable_variables",
        "model.optimizer._get_variable_index(variable)",
    ],
)
def test_each_way_to_ask_is_seen(line):
    assert find_questions(f"import keras\n\n{line}\n") == [3]
