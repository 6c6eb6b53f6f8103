"""Exponential moving averages of weights."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from keras import ops


@contextlib.contextmanager
def averaged_weights(model: Any) -> Iterator[None]:
    """Replaces the weights of a model by their moving averages inside the context.

    The weights are restored bit for bit on exit. It is a no-op for an optimizer without
    `use_ema`. Call `update_variables` before.
    """
    if not model.optimizer.use_ema:
        yield
        return
    variables = model.trainable_variables
    weights = _copy(variables)
    model.optimizer.finalize_variable_values(variables)
    # on JAX they share arrays with the optimizer, and `predict` deletes these arrays
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
