"""A model's weights: in a file without those of its optimizer, and during `fit`."""

import io
from pathlib import Path
from typing import Any

import h5py
import keras
from keras import saving
from keras.src.saving import saving_lib

from dsa.system.atomic_files import write_atomically


def save_weights(path: Path | str, model: keras.Model) -> None:
    """Writes a model's weights to an `.h5` file, atomically. The file is made in
    memory: HDF5 does not survive a disk that is full or fails under it."""
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
    """Gives a model the weights of a file; its optimizer stays as it is.

    Raises: `ValueError` as `check_content`; whatever Keras and h5py raise for a file
        of another model.
    """
    check_content(path)
    saving.load_weights(model, path, objects_to_skip=_list_optimizer(model))


def check_content(path: Path | str) -> None:
    """Checks that an `.h5` file holds plain arrays of numbers, as `save_weights` writes
    them. HDF5 could also read other files, or give a small file a huge content.

    Raises: `ValueError` for links, for arrays that are virtual, stored elsewhere,
        compressed or no numbers, and for more numbers than the file has room for;
        `OSError` for what is no HDF5 file.
    """
    room, seen = Path(path).stat().st_size, set()

    def check_group(group):
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise ValueError(f"'{name}' is a link")
            item = group[name]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                raise ValueError(f"'{name}' is there twice")
            seen.add(address)
            if isinstance(item, h5py.Group):
                check_group(item)
            else:
                check_array(name, item)

    def check_array(name, item):
        nonlocal room
        if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "fiub":
            raise ValueError(f"'{name}' is no array of numbers")
        if (
            item.is_virtual
            or item.external
            or item.id.get_create_plist().get_nfilters()
        ):
            raise ValueError(f"'{name}' is no plain array")
        room -= item.nbytes
        if room < 0:
            raise ValueError(f"'{name}' has {item.nbytes:,} bytes, more than the file")

    with h5py.File(path) as file:
        check_group(file)


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
