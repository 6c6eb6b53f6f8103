"""A model's weights: in a file without those of its optimizer, and during `fit`."""

from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import saving

from dsa.system.atomic_files import write_atomically


def save_weights(path: Path | str, model: keras.Model) -> None:
    """Writes a model's weights to an `.h5` file, atomically."""

    def write(temporary):
        saving.save_weights(model, temporary, objects_to_skip=_list_optimizer(model))

    room = sum(int(np.prod(weight.shape)) * 4 + 1024 for weight in model.variables)
    write_atomically(path, write, room)


def load_weights(path: Path | str, model: keras.Model) -> None:
    """Gives a model the weights of a file; its optimizer stays as it is."""
    saving.load_weights(model, path, objects_to_skip=_list_optimizer(model))


def _list_optimizer(model):
    """A list of the model's optimizer, empty for none."""
    optimizer = getattr(model, "optimizer", None)
    return [] if optimizer is None else [optimizer]


def update_variables(model: Any) -> None:
    """Gives the model's variables the values that `fit` has reached.

    On JAX, `fit` keeps the values elsewhere between two steps, and the variables are
    old. On the other backends the variables always have them: nothing is done.
    """
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()
