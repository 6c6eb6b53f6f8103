"""Weight files: the weights of a model, without the variables of its optimizer."""

import io
from pathlib import Path
from typing import Any

import h5py
import keras
from keras import saving
from keras.src.saving import saving_lib

from dsa.system.atomic_files import write_atomically


def save_weights(path: Path | str, model: keras.Model) -> None:
    """Writes the weights of a model to an `.h5` file, atomically.

    The content is created in memory, because HDF5 can crash on a full or failing disk.
    """
    content = io.BytesIO()
    store = saving_lib.H5IOStore(content, mode="w")
    saving_lib._save_state(
        model,
        weights_store=store,
        assets_store=None,
        inner_path="",
        visited_saveables=set(map(id, _list_optimizer(model))),
    )
    store.close()
    write_atomically(path, content.getbuffer())


def load_weights(path: Path | str, model: keras.Model) -> None:
    """Loads the weights of a model from a file, without changing its optimizer.

    Raises: the errors of `check_weight_file`, and errors of Keras and h5py if the file
        belongs to another model.
    """
    check_weight_file(path)
    saving.load_weights(model, path, objects_to_skip=_list_optimizer(model))


def check_weight_file(path: Path | str) -> None:
    """Checks that an `.h5` file contains only plain numeric arrays, as written by
    `save_weights`.

    An untrusted HDF5 file can refer to other files, or expand to arrays that are much
    larger than the file.

    Raises: `ValueError` if the file contains a link, arrays that are virtual, external,
        compressed or not numeric, or arrays larger than the file; `OSError` if it is
        not an HDF5 file.
    """
    remaining_bytes = Path(path).stat().st_size
    visited = set()

    def check_group(group):
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise ValueError(f"'{name}' is a link")
            item = group[name]
            address = h5py.h5o.get_info(item.id).addr
            if address in visited:
                raise ValueError(f"'{name}' is a duplicate")
            visited.add(address)
            if isinstance(item, h5py.Group):
                check_group(item)
            else:
                check_array(name, item)

    def check_array(name, item):
        nonlocal remaining_bytes
        if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "fiub":
            raise ValueError(f"'{name}' must be a numeric array")
        if (
            item.is_virtual
            or item.external
            or item.id.get_create_plist().get_nfilters()
        ):
            raise ValueError(f"'{name}' must be a plain array")
        remaining_bytes -= item.nbytes
        if remaining_bytes < 0:
            raise ValueError(f"'{name}' has {item.nbytes:,} bytes, more than the file")

    with h5py.File(path) as file:
        check_group(file)


def locate_arrays(path: Path | str) -> dict[str, dict[str, Any]]:
    """Returns the position of each array in an `.h5` file.

    Returns: `{name: {"offset": ..., "dtype": "<f4", "shape": [...]}}` for all arrays
        that are stored contiguously. Offsets are in bytes.

    Raises: see `check_weight_file`.
    """
    check_weight_file(path)
    positions = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and item.id.get_offset() is not None:
            positions[name] = {
                "offset": item.id.get_offset(),
                "dtype": item.dtype.str,
                "shape": list(item.shape),
            }

    with h5py.File(path) as file:
        file.visititems(visit)
    return positions


def _list_optimizer(model):
    """Returns a list that contains the optimizer of the model, if it has one."""
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None:
        return []
    return [optimizer]


def update_variables(model: Any) -> None:
    """Copies the training state to the variables of the model during `fit` on JAX.

    On JAX, Keras keeps the current values in the training state, so the variables are
    outdated between two steps. Does nothing on TensorFlow and PyTorch.
    """
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()
