"""Files of a run folder: names, SHA-256 record, and cleanup after a killed run.

    config.yaml         resolved experiment
    splits.json         rows of each split, if several splits share a file
    vocabulary.txt      one word per line; ids start at 2 (0 padding, 1 unknown)
    best.weights.h5     weights selected by the dev metric
    features.npz        weights of the feature-based classifier
    pair_features.npz   statistics of the training rows, for pair features
    feature_scale.npz   mean and standard deviation of the pair features in training
    training_rows.npz   keys of the training rows, to count shared rows
    state/              last training state, for --resume
    history.csv         one row per evaluation
    sha256.json         SHA-256 of the files above that belong to the model
    metrics.json        every evaluation of the selected weights, with date and commit
    answers_dev.npz     predictions for the rows of a split, see `evaluation.answers`
    transfer.json       results of `dsa transfer`
    tracking.json       ids of the run in experiment trackers, and the steps sent
    environment.json    versions, device, commit, fingerprints, parameters, times
    log.txt             log lines
    tensorboard/        curves for TensorBoard
    .dsa-lock           lock file, names the writing process, see `folder_lock`

Each file is written under a temporary name and then renamed. No file is pickled.

`sha256.json` is written at the end of training and removed before a model file is
replaced. A run without it is unverified.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from dsa.errors import InputError
from dsa.system.atomic_files import (
    find_temporary_files,
    follow_link,
    name_errors,
    name_temporary,
    write_atomically,
)
from dsa.system.folder_lock import LOCK_FILE
from dsa.system.reading import check_regular, compute_sha256, open_regular

CHECKSUM_FILE = "sha256.json"
MODEL_FILES = (
    "config.yaml",
    "splits.json",
    "vocabulary.txt",
    "best.weights.h5",
    "features.npz",
    "pair_features.npz",
    "feature_scale.npz",
)
TEXT_FILES = ("config.yaml", "splits.json", "vocabulary.txt")
WEIGHT_FILES = ("best.weights.h5", "features.npz")  # a run has one of these files
TRACKING = "tracking.json"
TRAINING_ROWS = "training_rows.npz"
STATE_FILE = Path("state/state.npz")
EVALUATION_FILES = ("history.csv", "metrics.json", "transfer.json", TRACKING)
OTHER_FILES = (
    TRAINING_ROWS,
    CHECKSUM_FILE,
    str(STATE_FILE),
    "environment.json",
    "log.txt",
    LOCK_FILE,
)
ALL_RUN_FILES = (*MODEL_FILES, *EVALUATION_FILES, *OTHER_FILES)
START_FILES = ("config.yaml", "environment.json")  # written at the start of training
# written after an evaluation
AFTER_EVALUATION = (*WEIGHT_FILES, str(STATE_FILE), *EVALUATION_FILES)


@contextlib.contextmanager
def replace_model_file(folder: Path | str, name: str) -> Iterator[Path]:
    """Removes `sha256.json` and replaces a model file at the end of the context.

    Args:
        folder: run folder.
        name: file name, one of `MODEL_FILES`.

    Yields: temporary path, to which the caller writes the new content.
    """
    folder = Path(folder)
    path = follow_link(folder / name)
    temporary = name_temporary(path)
    try:
        yield temporary
        (folder / CHECKSUM_FILE).unlink(missing_ok=True)
        with name_errors(path):
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):  # report the first error
            temporary.unlink()
        raise


def write_record(folder: Path | str) -> None:
    """Writes `sha256.json` for the model files of a run folder."""
    folder = Path(folder)
    digests = {
        name: _compute_digests(folder / name)[-1] for name in _list_model_files(folder)
    }
    content = json.dumps({"sha256": digests}, indent=2)
    write_atomically(folder / CHECKSUM_FILE, content + "\n")


def read_record(folder: Path | str) -> dict[str, tuple[str, ...]] | None:
    """Reads `sha256.json` of a run folder.

    Up to version 0.2, a record had a second dictionary, `next`, with the SHA-256 of a
    file that was about to be replaced.

    Returns: the valid SHA-256 values of each file; `None` if the file is missing.

    Raises: `InputError` if the file is damaged.
    """
    path = Path(folder, CHECKSUM_FILE)
    try:
        with open_regular(path) as file:
            record = json.loads(file.read())
        current, pending = record["sha256"], record.get("next", {})
        digests = {
            name: (current.get(name), pending.get(name)) for name in current | pending
        }
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InputError(
            f"{path}: damaged. Copy the run again, or delete {CHECKSUM_FILE}: the run "
            "is then unverified"
        ) from None
    return {
        name: tuple(digest for digest in pair if isinstance(digest, str))
        for name, pair in digests.items()
    }


def list_changed_files(
    folder: Path | str, record: dict[str, tuple[str, ...]]
) -> list[str]:
    """Returns the names of the model files that have been changed, added or removed
    since `sha256.json` was written.

    Line endings of text files are ignored, because Git can convert them.

    Args:
        folder: run folder.
        record: valid SHA-256 values of each file, from `read_record`.
    """
    folder = Path(folder)
    names = {*_list_model_files(folder), *record}
    return [
        name
        for name in MODEL_FILES
        if name in names
        and set(_compute_digests(folder / name)).isdisjoint(record.get(name, ()))
    ]


def read_weights_sha256(folder: Path | str) -> str | None:
    """Returns the SHA-256 of the weights of a run, or `None` if it has no weights.

    Raises: `InputError` if `sha256.json` is damaged.
    """
    folder = Path(folder)
    record = read_record(folder) or {}
    for name in WEIGHT_FILES:
        path = folder / name
        if len(record.get(name, ())) == 1:
            return record[name][0]
        if path.is_file():
            return compute_sha256(path)
    return None


def _compute_digests(path: Path) -> list[str]:
    """Returns the SHA-256 of a file and, for a text file, of its content with LF line
    endings."""
    if not path.is_file():
        return []
    digests = [compute_sha256(path)]
    if path.name in TEXT_FILES:
        with open_regular(path) as file:
            content = file.read().replace(b"\r\n", b"\n")
        digests.append(hashlib.sha256(content).hexdigest())
    return digests


def _list_model_files(folder):
    return [name for name in MODEL_FILES if (folder / name).is_file()]


def prepare_folder(folder: Path) -> None:
    """Prepares a locked folder for a new run.

    Raises: `InputError` if the folder contains files, because runs are not overwritten.
    """
    ignored = {
        folder / STATE_FILE.parent,
        folder / LOCK_FILE,
        *list_temporary_files(folder),
    }
    if any(file not in ignored for file in folder.rglob("*")):
        missing = [name for name in START_FILES if not (folder / name).is_file()]
        advice = "Continue the run with --resume, "
        if missing:
            advice = f"It cannot be resumed ({missing[0]} is missing): "
        raise InputError(
            f"{folder} already exists and is not overwritten. "
            f"{advice}choose another folder with --run, or remove the folder"
        )
    remove_temporary_files(folder)
    (folder / STATE_FILE.parent).mkdir(exist_ok=True)


def discard_run(folder: Path) -> None:
    """Removes the files of a new run that failed before its first evaluation.

    A corrected command can then use the folder. Other files are kept.
    """
    if any(folder.rglob(str(STATE_FILE))):  # saved by the run or by its first stage
        return
    if (folder / "features.npz").exists():  # a fitted linear model
        return
    for file in _list_run_files(folder):
        if file.name != LOCK_FILE:  # the lock is held
            file.unlink(missing_ok=True)
    state = folder / STATE_FILE.parent
    if not state.is_symlink() and not any(state.iterdir()):
        state.rmdir()


def is_abandoned(folder: Path) -> bool:
    """Returns whether a run was killed before its first evaluation, and its folder
    contains no other files. The folder must be locked."""
    state_folder = folder / STATE_FILE.parent
    if not (folder / "config.yaml").is_file() or not state_folder.is_dir():
        return False
    if any((folder / name).exists() for name in AFTER_EVALUATION):
        return False
    run_files = {folder / STATE_FILE.parent, *_list_run_files(folder)}
    return all(file in run_files for file in folder.rglob("*"))


def list_temporary_files(folder: Path) -> list[Path]:
    """Returns the temporary files of killed processes."""
    return [
        file for name in ALL_RUN_FILES for file in find_temporary_files(folder / name)
    ]


def remove_temporary_files(folder: Path) -> None:
    """Removes the temporary files of killed processes. The folder must be locked."""
    for file in list_temporary_files(folder):
        file.unlink(missing_ok=True)


def check_folder(folder: Path) -> None:
    """Raises `InputError` if a run folder is missing, or if it contains a named pipe or
    a device, because reading them could block."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such run folder")
    for file in folder.rglob("*"):
        check_regular(file)


def _list_run_files(folder):
    return [*(folder / name for name in ALL_RUN_FILES), *list_temporary_files(folder)]
