"""Files of a run that are shared through a hub repository.

They contain text and arrays. The training state and the log are neither uploaded nor
downloaded.
"""

import fnmatch
from collections.abc import Iterable
from pathlib import Path

from dsa.errors import InputError
from dsa.runs.run_files import CHECKSUM_FILE, MODEL_FILES
from dsa.runs.run_folder import RunFolder

CARD = "README.md"
RESULT_FILES = ("history.csv", "metrics.json", "transfer.json", "environment.json")
RUN_FILES = (*MODEL_FILES, CHECKSUM_FILE, *RESULT_FILES)
REQUIRED_FILES = ("config.yaml", "vocabulary.txt", "environment.json")
OTHER_FILE_PATTERNS = (".gitattributes", "LICENSE", "*.md", "*.png")  # also allowed
ARRAY_SUFFIXES = (".h5", ".npz")  # not limited by `MAX_TEXT_BYTES`
MAX_TEXT_BYTES = 200 * 10**6  # text files are read into memory
SHOWN_FILES = 5  # maximum number of file names in an error message


def check_repository_files(files: Iterable[str], name: str) -> None:
    """Raises `InputError` if a repository contains a file that is neither in
    `RUN_FILES` nor matches `OTHER_FILE_PATTERNS`.

    Args:
        files: paths of the files in the repository.
        name: name of the repository, for the error message.
    """
    unexpected = [path for path in files if not _is_allowed(path)]
    if unexpected:
        names = ", ".join(repr(path[:80]) for path in unexpected[:SHOWN_FILES])
        if len(unexpected) > SHOWN_FILES:
            names += f" and {len(unexpected) - SHOWN_FILES} more"
        raise InputError(
            f"{name}: expected an empty repository, or only files of a run. Received: "
            f"{names}"
        )


def _is_allowed(path: str) -> bool:
    """Returns whether a repository with a run may contain a file."""
    if path in RUN_FILES:
        return True
    if "/" in path:
        return False
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in OTHER_FILE_PATTERNS)


def check_download(folder: Path, name: str) -> None:
    """Raises `InputError` unless a downloaded folder is a complete and undamaged run.

    Args:
        folder: path of the downloaded folder.
        name: name of the repository, used in error messages instead of the folder.
    """
    missing = [file for file in REQUIRED_FILES if not (folder / file).is_file()]
    if missing:
        raise InputError(
            f"{name}: expected a run of dsa. Missing: {', '.join(missing)}"
        )
    for file in folder.iterdir():
        size = file.stat().st_size
        if not file.name.endswith(ARRAY_SUFFIXES) and size > MAX_TEXT_BYTES:
            raise InputError(
                f"{name}: {file.name} must have at most {MAX_TEXT_BYTES:,} bytes. "
                f"Received: {size:,}"
            )
    try:
        check_run(RunFolder(folder))
    except InputError as error:
        # the remedy of `RunFolder.check_files` is only for a run of the user
        reason, _, _ = str(error).partition(". To accept the change")
        raise InputError(reason.replace(str(folder), name)) from error


def check_run(run: RunFolder) -> None:
    """Raises `InputError` unless the weights exist, all files have the recorded
    checksums, and all records are valid."""
    run.check_folder()
    run.check_files()
    if not run.is_verified():
        raise InputError(f"{run.path} is an incomplete run: {CHECKSUM_FILE} is missing")
    weights = run.path / run.experiment().family.weights_file
    if not weights.is_file():
        raise InputError(f"{run.path} is an incomplete run: {weights.name} is missing")
    run.environment()
    run.vocabulary()
    run.splits()
    run.metrics()
