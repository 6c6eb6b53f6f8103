"""A run folder vouches for the files that its model is made of.

`sha256.json` has the SHA-256 of each. Before such a file is replaced, it gets that of
the next content too, so that a folder is sound whenever its writer is killed:

    {"sha256": {"config.yaml": "...", "best.weights.h5": "..."},
     "next": {"best.weights.h5": "..."}}
"""

import contextlib
import hashlib
import json
import os
from pathlib import Path

from dsa.errors import InputError
from dsa.system.atomic_files import name_temporary, write_atomically

RECORD = "sha256.json"
VOUCHED = (
    "config.yaml",
    "splits.json",
    "vocabulary.txt",
    "best.weights.h5",
    "features.npz",
    "pair_features.npz",
    "feature_scale.npz",
)
WEIGHTS = ("best.weights.h5", "features.npz")  # a run has one of them
CURRENT, NEXT = "sha256", "next"  # of the record


@contextlib.contextmanager
def replace_vouched(folder, name):
    """Replace a file of a run folder by what is written inside the context, and record
    its SHA-256.

    Args:
        folder: the run folder.
        name: of the file, one of `VOUCHED`.

    Yields: the path to write to.
    """
    folder = Path(folder)
    path, record = folder / name, read_record(folder)
    current = _find_current(folder, record)
    new = name_temporary(path)
    try:
        yield new
        digest = _compute_sha256(new)
        if current and current.get(name) != digest:
            _write_record(folder, {CURRENT: current, NEXT: {name: digest}})
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    end = {CURRENT: {**current, name: digest}, NEXT: {}}
    if end != record:
        _write_record(folder, end)


def read_record(folder):
    """What `sha256.json` of a run folder holds; `None` if there is none.

    Raises: `InputError` if it is damaged.
    """
    path = Path(folder, RECORD)
    if not path.exists():
        return None
    try:
        if not path.is_file():
            raise ValueError("it is no regular file")
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: damaged: {error}") from error
    parts = [record.get(part) for part in (CURRENT, NEXT)] if _is_dict(record) else []
    if not parts or not all(
        _is_dict(part) and all(isinstance(value, str) for value in part.values())
        for part in parts
    ):
        raise InputError(f"{path}: damaged: the SHA-256 of each file are needed")
    return record


def find_changed(folder):
    """The names of the `VOUCHED` files of a run folder that are not as training wrote
    them, those among them that are gone; `None` for a folder without `sha256.json`, as
    earlier versions left it.

    Raises: `InputError` if `sha256.json` is damaged.
    """
    folder = Path(folder)
    record = read_record(folder)
    if record is None:
        return None
    expected = {*_list_present(folder), *record[CURRENT]}
    names = [name for name in VOUCHED if name in expected]
    changed = _list_unsound(folder, record, names)
    if changed:  # a training could have written since the record was read
        changed = _list_unsound(folder, read_record(folder) or record, changed)
    return changed


def read_weights_sha256(folder):
    """The SHA-256 of a run's weights by its own record; `None` for a folder without
    `sha256.json`, or without weights.

    Raises: `InputError` if `sha256.json` is damaged.
    """
    folder = Path(folder)
    record = read_record(folder)
    if record is None:
        return None
    current = _find_current(folder, record)
    return next((current[name] for name in WEIGHTS if name in current), None)


def _list_unsound(folder, record, names):
    return [
        name
        for name in names
        if not (folder / name).is_file()
        or _compute_sha256(folder / name)
        not in (record[CURRENT].get(name), record[NEXT].get(name))
    ]


def _find_current(folder, record):
    """`{name: SHA-256}` of the files that are there, by the record of a folder, or
    without one by what they hold."""
    if record is None:
        return {name: _compute_sha256(folder / name) for name in _list_present(folder)}
    current = dict(record[CURRENT])
    for name, digest in record[NEXT].items():  # its writer was killed
        path = folder / name
        if path.is_file() and _compute_sha256(path) == digest:
            current[name] = digest
    return current


def _list_present(folder):
    return [name for name in VOUCHED if (folder / name).is_file()]


def _compute_sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_record(folder, record):
    write_atomically(folder / RECORD, json.dumps(record, indent=2) + "\n")


def _is_dict(value):
    return isinstance(value, dict)
