"""Exponential moving averages of weights."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from keras import ops


@contextlib.contextmanager
def averaged_weights(model: Any) -> Iterator[None]:
    """Context manager that replaces the weights of a model by their moving averages.

    The weights are restored bit for bit on exit. Does nothing if the optimizer has no
    moving averages (`use_ema`). Call `update_variables` before entering the context.
    """
    if not model.optimizer.use_ema:
        yield
        return
    variables = model.trainable_variables
    weights = _copy(variables)
    model.optimizer.finalize_variable_values(variables)
    # The averages are copied: on JAX, the variables would share arrays with the
    # optimizer, and `predict` deletes the arrays of the variables.
    _assign(variables, _copy(variables))
    try:
        yield
    finally:
        _assign(variables, weights)


def _copy(variables):
    """Returns the values of variables as a list of NumPy arrays."""
    return [np.array(ops.convert_to_numpy(variable)) for variable in variables]


def _assign(variables, values):
    """Sets the values of variables."""
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
