"""Random changes of arrays in well-formed files."""

import io

import h5py
import numpy as np


def mutate_arrays(random, name, content):
    """Changes a random array of an `.h5` or `.npz` file.

    Args:
        random: a `random.Random`.
        name: name of the file.
        content: content of the file.

    Returns: the new content, and a list with the name of the change.
    """
    change = random.choice(CHANGES)
    rewrite = _rewrite_h5 if name.endswith(".h5") else _rewrite_npz
    return rewrite(random, content, change), [change.__name__]


def _rewrite_npz(random, content, change):
    with np.load(io.BytesIO(content)) as file:
        arrays = dict(file)
    key = random.choice(sorted(arrays))
    new = change(random, arrays.pop(key))
    if new is not None:
        arrays[key] = new
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _rewrite_h5(random, content, change):
    data = io.BytesIO(content)
    with h5py.File(data, "a") as file:
        names = []
        file.visititems(
            lambda name, item: names.append(name) if hasattr(item, "shape") else None
        )
        name = random.choice(names)
        new = change(random, file[name][()])
        del file[name]
        if new is not None:
            kind = h5py.string_dtype() if new.dtype.kind == "U" else new.dtype
            file.create_dataset(name, data=new.astype(kind))
    return data.getvalue()


def remove_array(random, array):
    return None


def empty_array(random, array):
    return array[:0] if array.ndim else array.reshape(1)[:0]


def flatten_array(random, array):
    return array.reshape(-1)


def add_axis(random, array):
    return array[..., None]


def shorten_array(random, array):
    return array[..., :-1] if array.ndim else array


def double_array(random, array):
    return np.concatenate([array.reshape(-1)] * 2)


def transpose_array(random, array):
    return array.T


def put_value(random, array):
    """Sets a random entry, or all entries, to an extreme value."""
    if array.dtype.kind not in "fiu":
        return array.astype("S3") if array.dtype.kind in "US" else array
    limits = np.finfo if array.dtype.kind == "f" else np.iinfo
    values = [limits(array.dtype).max, limits(array.dtype).min, 0, 1]
    if array.dtype.kind == "f":
        values += [np.nan, np.inf, -np.inf, 1e-45]
    array = array.copy()
    flat = array.reshape(-1)
    index = slice(None) if random.random() < 0.3 else random.randrange(flat.size or 1)
    if flat.size:
        flat[index] = random.choice(values)
    return flat.reshape(array.shape)


def change_type(random, array):
    kind = random.choice(["f8", "f2", "i8", "u1", "?", "U8", "c8"])
    with np.errstate(all="ignore"):
        try:
            return array.astype(kind)
        except ValueError:  # a text
            return array


CHANGES = (
    remove_array,
    empty_array,
    flatten_array,
    add_axis,
    shorten_array,
    double_array,
    transpose_array,
    put_value,
    put_value,
    put_value,
    change_type,
)
