"""Storage of named arrays and a JSON record in an `.npz` file, without pickle.

The file contains a checksum of its content, which is verified on reading.
"""

import hashlib
import json
import logging
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically
from dsa.system.reading import open_regular

log = logging.getLogger(__name__)

# raised by NumPy for damaged or malicious files
DAMAGE_ERRORS = (
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
# names of additional arrays in the file
RECORD = "record"
CHECKSUM = "checksum"


def write_arrays(
    path: Path | str, arrays: dict[str, np.ndarray], record: Any, compress: bool = False
) -> None:
    """Writes named arrays and a record atomically.

    Args:
        path: path of the file.
        arrays: arrays by name.
        record: a JSON-serializable object.
        compress: whether to compress the arrays.
    """
    text = np.frombuffer(json.dumps(record).encode(), np.uint8)
    arrays = {**arrays, RECORD: text}
    arrays[CHECKSUM] = np.frombuffer(_compute_checksum(arrays), np.uint8)

    def save(temporary_path):
        if compress:
            np.savez_compressed(temporary_path, **arrays)  # pyright: ignore
        else:
            np.savez(temporary_path, **arrays)  # pyright: ignore

    write_atomically(path, save)


def read_arrays(
    path: Path | str, content: str, max_bytes: int | None = None
) -> tuple[dict[str, np.ndarray], Any]:
    """Reads a file written by `write_arrays`.

    Args:
        path: path of the file.
        content: description of the content for error messages, such as "predictions".
        max_bytes: maximum uncompressed size of the arrays; `None` for no limit.

    Returns: the dictionary of arrays, and the record.

    Raises: `InputError` if the file is damaged; `FileNotFoundError` if it is missing.
    """
    try:
        with open_regular(path) as file, np.load(file, allow_pickle=False) as archive:
            size = sum(entry.file_size for entry in archive.zip.infolist())
            if max_bytes is not None and size > max_bytes:
                raise InputError(
                    f"{path}: damaged {content}: {size:,} bytes of arrays. The "
                    f"maximum is {max_bytes:,}"
                )
            arrays = {name: archive[name] for name in archive.files}
        if CHECKSUM not in arrays:
            raise InputError(f"{path}: damaged {content}: the checksum is missing")
        if arrays.pop(CHECKSUM).tobytes() != _compute_checksum(arrays):
            raise InputError(f"{path}: damaged {content}: the checksum differs")
        return arrays, json.loads(arrays.pop(RECORD).tobytes())
    except (FileNotFoundError, InputError):
        raise
    except DAMAGE_ERRORS as error:
        raise InputError(f"{path}: damaged {content}: {error}") from error


def read_cached(path: Path, content: str) -> tuple[dict[str, np.ndarray], Any] | None:
    """Reads a file written by `write_cached`.

    Returns: the arrays and the record; `None` if the file is missing, or damaged, which
        is logged.
    """
    try:
        return read_arrays(path, content)
    except FileNotFoundError:
        return None
    except InputError as error:
        log.warning("recomputed: %s", error)
        return None


def write_cached(
    path: Path, content: str, arrays: dict[str, np.ndarray], record: Any
) -> None:
    """Writes arrays and a record to a cache file. A failure is logged, not raised.

    Args:
        path: path of the file; missing folders are created.
        content: description of the content for the log.
        arrays: arrays by name.
        record: a JSON-serializable object.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(path, arrays, record)
    except OSError as error:
        log.warning("%s cannot be cached in %s: %s", content, path.parent, error)


def _compute_checksum(arrays):
    """Returns the SHA-256 of the names, types, shapes and values of arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        # not `dtype.str`: NumPy reads bfloat16 as two untyped bytes
        dtype = f"{array.dtype.kind}{array.dtype.itemsize}{array.dtype.isnative}"
        digest.update(json.dumps([name, dtype, array.shape]).encode())
        digest.update(array.tobytes())
    return digest.digest()
