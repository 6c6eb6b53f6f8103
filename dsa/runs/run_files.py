"""The files of a run folder: their names, their SHA-256, and what a killed run leaves.

    config.yaml         the resolved experiment
    splits.json         rows by split of the file that is dealt to several
    vocabulary.txt      one word a line; ids start at 2 (0 padding, 1 unknown)
    best.weights.h5     the weights that the dev metric selected
    features.npz        the same of the feature-based classifier
    pair_features.npz   what training rows taught about features of a pair
    feature_scale.npz   mean and deviation of these features in training
    state/              the last state of training, for --resume
    history.csv         a row per evaluation
    sha256.json         SHA-256 of the files above, see below
    metrics.json        every evaluation of the selected weights, with date and commit
    answers_dev.npz     answers for the rows of a split, see `evaluation.answers`
    transfer.json       results of transfer.py
    tracking.json       the run's id in trackers, and what they have got
    environment.json    versions, device, commit, fingerprints, parameters, times
    log.txt             what was printed
    tensorboard/        curves for TensorBoard
    .dsa-lock           the lock; names the process that writes, see `folder_lock`

Every file is written under a temporary name and renamed; none is pickled.

`sha256.json` has the SHA-256 of each file that the model is made of. Before such a file
is replaced, the record gets that of the next content too, so that a folder is sound
whenever its writer is killed:

    {"sha256": {"config.yaml": "...", "best.weights.h5": "..."},
     "next": {"best.weights.h5": "..."}}
"""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.system.atomic_files import (
    name_errors,
    name_temporary,
    temporary_files,
    write_atomically,
)
from dsa.system.folder_lock import NAME
from dsa.system.reading import check_regular, compute_sha256

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
TRACKING = "tracking.json"
STATE = Path("state/state.npz")
LATER = ("history.csv", "metrics.json", "transfer.json", TRACKING)
FILES = (*VOUCHED, RECORD, str(STATE), *LATER, "environment.json", "log.txt", NAME)
AT_THE_START = ("config.yaml", RECORD)  # the first files of a run
BEGUN = ("config.yaml", "environment.json")  # what a run has once it trains
RESULTS = (*WEIGHTS, str(STATE), *LATER)  # from the first evaluation on


@contextlib.contextmanager
def replace_vouched(folder: Path | str, name: str) -> Iterator[Path]:
    """Replaces a file of a run folder by what is written inside the context, and
    records its SHA-256.

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
        digest = compute_sha256(new)
        if current and current.get(name) != digest:
            _write_record(folder, {CURRENT: current, NEXT: {name: digest}})
        with name_errors(path):
            os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):  # the first error counts
            new.unlink()
        raise
    end = {CURRENT: {**current, name: digest}, NEXT: {}}
    if end != record:
        _write_record(folder, end)


def read_record(folder: Path | str) -> dict[str, Any] | None:
    """Returns what `sha256.json` of a run folder holds; `None` if there is none.

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
    if not isinstance(record, dict) or not all(
        isinstance(part, dict) and all(isinstance(text, str) for text in part.values())
        for part in (record.get(CURRENT), record.get(NEXT))
    ):
        raise InputError(f"{path}: damaged: the SHA-256 of each file are needed")
    return record


def find_changed(folder: Path | str) -> list[str]:
    """Returns the names of the `VOUCHED` files of a run folder that are not as training
    wrote them, with those that are gone; `sha256.json` itself, where it is gone though
    the folder has weights.

    Raises: `InputError` if `sha256.json` is damaged.
    """
    folder = Path(folder)
    record = read_record(folder)
    if record is None:
        return [RECORD] if any((folder / name).exists() for name in WEIGHTS) else []
    expected = {*_list_present(folder), *record[CURRENT]}
    names = [name for name in VOUCHED if name in expected]
    changed = _list_unsound(folder, record, names)
    if changed:  # a training could have written since the record was read
        changed = _list_unsound(folder, read_record(folder) or record, changed)
    return changed


def read_weights_sha256(folder: Path | str) -> str | None:
    """Returns the SHA-256 of a run's weights by its own record; `None` for a folder
    without `sha256.json`, or without weights.

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
        or compute_sha256(folder / name)
        not in (record[CURRENT].get(name), record[NEXT].get(name))
    ]


def _find_current(folder, record):
    """Returns `{name: SHA-256}` of the files that are there, by the record of a folder,
    or without one by what they hold."""
    if record is None:
        return {name: compute_sha256(folder / name) for name in _list_present(folder)}
    current = dict(record[CURRENT])
    for name, digest in record[NEXT].items():  # its writer was killed
        path = folder / name
        if path.is_file() and compute_sha256(path) == digest:
            current[name] = digest
    return current


def _list_present(folder):
    return [name for name in VOUCHED if (folder / name).is_file()]


def _write_record(folder, record):
    write_atomically(folder / RECORD, json.dumps(record, indent=2) + "\n")


def prepare_folder(folder: Path) -> None:
    """Prepares a folder, which is held, for a new run.

    Raises: `InputError` if something is there already: runs are never overwritten.
    """
    left = {folder / STATE.parent, folder / NAME, *list_left_files(folder)}
    if any(file not in left for file in folder.rglob("*")):
        raise InputError(
            f"{folder} is there already and is not overwritten. "
            f"{_advise(folder)}name another folder with --run, or remove it"
        )
    check_no_links(folder)
    remove_left_files(folder)
    (folder / STATE.parent).mkdir(exist_ok=True)


def _advise(folder):
    """What else can be done with a folder that is there already."""
    lost = [name for name in BEGUN if not (folder / name).is_file()]
    if lost:
        return f"It is no run that can be resumed ({lost[0]} is missing): "
    return "Continue it with --resume, "


def discard_run(folder: Path) -> None:
    """Removes a new run that failed before its first evaluation: nothing is lost, and
    the corrected command can use the folder. Other files in it stay."""
    if any(folder.rglob(STATE.name)):  # its own, or of its first stage
        return
    if (folder / "features.npz").exists():  # a linear model, fitted to its end
        return
    for file in _list_own_files(folder):
        if file.name != NAME:  # it is held
            file.unlink(missing_ok=True)
    if not any((folder / STATE.parent).iterdir()):
        (folder / STATE.parent).rmdir()


def is_abandoned(folder: Path) -> bool:
    """Returns whether the folder, which is held, has only the remains of a run that was
    killed before its first evaluation."""
    begun = all((folder / name).is_file() for name in AT_THE_START)
    if not begun or not (folder / STATE.parent).is_dir():
        return False
    if any((folder / name).exists() for name in RESULTS):
        return False
    own = {folder / STATE.parent, *_list_own_files(folder)}
    return all(file in own for file in folder.rglob("*"))


def list_left_files(folder: Path) -> list[Path]:
    """Returns the temporary files of killed writers."""
    return [left for name in FILES for left in temporary_files(folder / name)]


def remove_left_files(folder: Path) -> None:
    """Removes the temporary files of killed writers; no process may be writing."""
    for file in list_left_files(folder):
        file.unlink(missing_ok=True)


def check_no_links(folder: Path) -> None:
    """Raises an error for a link in a folder: what is written to it would land
    elsewhere. Also for a named pipe or a device, which would be waited for.

    Raises: `InputError`, also if there is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such run folder")
    for file in folder.rglob("*"):
        if file.is_symlink():
            raise InputError(f"{file}: a link, which a run folder must not hold")
        check_regular(file)


def _list_own_files(folder):
    return [*(folder / name for name in FILES), *list_left_files(folder)]
