"""Files of a run in a repository.

Only these files are uploaded and downloaded. They contain text and arrays; the training
state and the log are not shared.
"""

import fnmatch
from collections.abc import Iterable
from pathlib import Path

from dsa.errors import InputError
from dsa.runs.run_files import MODEL_FILES, RECORD
from dsa.runs.run_folder import RunFolder

CARD = "README.md"
MEASURED = ("history.csv", "metrics.json", "transfer.json", "environment.json")
RUN_FILES = (*MODEL_FILES, RECORD, *MEASURED)
REQUIRED = ("config.yaml", "vocabulary.txt", "environment.json")
HARMLESS = (".gitattributes", "LICENSE", "*.md", "*.png")  # other files of a repository
ARRAYS = (".h5", ".npz")
MAX_TEXT_BYTES = 200 * 10**6  # text files are read into memory
SHOWN_FILES = 5  # maximum number of file names in an error message


def check_repository_files(files: Iterable[str], name: str) -> None:
    """Raises `InputError` if a repository contains other files than a run.

    Args:
        files: paths of the files in the repository.
        name: name of the repository for the error message.
    """
    foreign = []
    for path in files:
        is_harmless = any(fnmatch.fnmatchcase(path, pattern) for pattern in HARMLESS)
        if path not in RUN_FILES and ("/" in path or not is_harmless):
            foreign.append(path)
    if foreign:
        names = ", ".join(repr(path[:80]) for path in foreign[:SHOWN_FILES])
        if len(foreign) > SHOWN_FILES:
            names += f" and {len(foreign) - SHOWN_FILES} more"
        raise InputError(
            f"{name}: expected an empty repository, or only files of a run. Received: "
            f"{names}"
        )


def check_download(folder: Path, name: str) -> None:
    """Raises `InputError` unless a downloaded folder is a complete and undamaged run.

    Args:
        folder: the downloaded folder.
        name: name of the repository, which replaces the folder in errors.
    """
    missing = [file for file in REQUIRED if not (folder / file).is_file()]
    if missing:
        raise InputError(
            f"{name}: expected a run of dsa. Missing: {', '.join(missing)}"
        )
    for file in folder.iterdir():
        size = file.stat().st_size
        if not file.name.endswith(ARRAYS) and size > MAX_TEXT_BYTES:
            raise InputError(
                f"{name}: {file.name} must have at most {MAX_TEXT_BYTES:,} bytes. "
                f"Received: {size:,}"
            )
    try:
        check_run(RunFolder(folder))
    except InputError as error:
        raise InputError(str(error).replace(str(folder), name)) from error


def check_run(run: RunFolder) -> None:
    """Raises `InputError` unless a run has weights, files with the recorded checksums,
    and valid records."""
    run.check_folder()
    run.check_files()
    if not run.is_verified():
        raise InputError(f"{run.path} is an incomplete run: {RECORD} is missing")
    weights = run.path / run.experiment().family.weights_file
    if not weights.is_file():
        raise InputError(f"{run.path} is an incomplete run: {weights.name} is missing")
    run.environment()
    run.vocabulary()
    run.splits()
    run.metrics()
