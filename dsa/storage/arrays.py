"""Named arrays and a JSON record in one `.npz` file; nothing in it is pickled."""

import json
import zipfile
import zlib

import numpy as np

from dsa.errors import InputError
from dsa.storage.atomic_files import write_atomically
from dsa.storage.regular_files import open_regular

# what NumPy raises at a file that is damaged, or was made to do harm
DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    MemoryError,
    OverflowError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def write_arrays(path, arrays, record):
    """Write arrays by name and a JSON-able record, atomically."""
    text = np.frombuffer(json.dumps(record).encode(), np.uint8)
    write_atomically(path, lambda temporary: np.savez(temporary, **arrays, record=text))


def read_arrays(path, what):
    """What `write_arrays` wrote.

    Args:
        path: the file.
        what: names its kind in the error.

    Returns: the dictionary of arrays and the record.

    Raises: `InputError` for a damaged file, `FileNotFoundError` for none.
    """
    try:
        with open_regular(path) as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return arrays, json.loads(arrays.pop("record").tobytes())
    except (FileNotFoundError, InputError):
        raise
    except DAMAGE as error:
        raise InputError(f"{path}: damaged {what}: {error}") from error
