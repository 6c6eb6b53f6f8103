"""The averages of a model's weights that its optimizer keeps."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from keras import ops


@contextlib.contextmanager
def averaged_weights(model: Any) -> Iterator[None]:
    """Inside the context a model has the averages of its weights, where its optimizer
    keeps them (Keras's `use_ema`), and after it the same weights as before, bit for
    bit. Its variables must have the values that `fit` has reached."""
    if not model.optimizer.use_ema:
        yield
        return
    variables = model.trainable_variables
    weights = _copy(variables)
    model.optimizer.finalize_variable_values(variables)
    # on JAX they now share arrays with the optimizer, and `predict` deletes them
    _assign(variables, _copy(variables))
    try:
        yield
    finally:
        _assign(variables, weights)


def _copy(variables):
    return [np.array(ops.convert_to_numpy(variable)) for variable in variables]


def _assign(variables, values):
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
