"""Only `dsa/backends/` depends on the backend or on private attributes of Keras."""

import ast
import re
from pathlib import Path

import keras
import pytest

BACKEND_CODE = re.compile(
    r"\bbackend\.backend\(|\bimport backend\b|jax_state_sync|keras\.src"
    r"|['\"]KERAS_BACKEND|^\s*(import|from) (tensorflow|jax|torch)\b",
    re.MULTILINE,
)


def private_names_in_keras():
    """Returns the private attributes of layers, models, optimizers and callbacks."""
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


def find_backend_code(source):
    """Returns the lines that depend on the backend or on private attributes."""
    lines = {source.count("\n", 0, m.end()) + 1 for m in BACKEND_CODE.finditer(source)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in PRIVATE:
            lines.add(node.lineno)
    return sorted(lines)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_no_other_module_depends_on_the_backend(path):
    assert find_backend_code(path.read_text()) == [], "move this to dsa/backends/"


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
def test_each_kind_of_dependence_is_detected(line):
    assert find_backend_code(f"import keras\n\n{line}\n") == [3]
