"""Which files of a run a repository may hold, and how large.

Others are never uploaded and never downloaded: no state of training, no log, nothing
that is not read as plain text or plain arrays.
"""

import fnmatch
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from dsa.errors import InputError
from dsa.runs.run_files import MODEL_FILES, RECORD
from dsa.runs.run_folder import RunFolder

CARD = "README.md"
MEGABYTE, GIGABYTE = 10**6, 10**9
ARRAYS = (".h5", ".npz")
MEASURED = ("history.csv", "metrics.json", "transfer.json", "environment.json")
RUN_FILES = (*MODEL_FILES, RECORD, *MEASURED)
LARGEST = {  # bytes of each file
    name: 8 * GIGABYTE if name.endswith(ARRAYS) else 200 * MEGABYTE
    for name in RUN_FILES
} | {CARD: MEGABYTE}
NEEDED = ("config.yaml", "vocabulary.txt", "environment.json")
BESIDE = (".gitattributes", "LICENSE", "*.md", "*.png")  # harmless, not downloaded
MOST_FILES = 100
SHOWN = 5  # names in an error


def check_listing(
    files: Iterable[tuple[str, int | None]],
    place: str,
    needed: Iterable[str] = NEEDED,
) -> dict[str, int]:
    """Checks what a repository holds; nothing has been read of it yet.

    Args:
        files: pairs of a path and its size in bytes, as the hub lists them.
        place: the repository's name, for errors.
        needed: names that must be among the files.

    Returns: `{name: size}` of a run's files and their card.

    Raises: `InputError` for a repository without the needed files, with others than
        those of a run, or too many or too large ones.
    """
    sizes, strange = {}, []
    for number, (path, size) in enumerate(files, start=1):
        if number > MOST_FILES:
            raise InputError(f"{place}: refused: it holds more than {MOST_FILES} files")
        if path in LARGEST:
            sizes[path] = size
        elif "/" in path or not any(fnmatch.fnmatchcase(path, p) for p in BESIDE):
            strange.append(repr(path[:80]))
    missing = [name for name in needed if name not in sizes]
    if missing:
        raise InputError(f"{place}: no run of dsa: {', '.join(missing)} is missing")
    if strange:
        names, more = ", ".join(strange[:SHOWN]), len(strange) - SHOWN
        names += f" and {more} more" * (more > 0)
        raise InputError(f"{place}: refused: it holds what no run has: {names}")
    check_sizes(sizes, place)
    return sizes


def check_sizes(sizes: Mapping[str, int | None], place: str | Path) -> None:
    """Raises `InputError` for a file in a place that is larger than `LARGEST` allows,
    and for a size that is none."""
    for name, size in sizes.items():
        if type(size) is not int or size < 0:
            raise InputError(f"{place}: refused: {name} has no size")
        if size > LARGEST[name]:
            raise InputError(
                f"{place}: {name} has {size:,} bytes; at most {LARGEST[name]:,} are "
                "allowed"
            )


def check_download(folder: Path, sizes: Mapping[str, int], place: str) -> None:
    """Raises `InputError` unless a folder that was downloaded holds the files of
    `check_listing`, and they are a sound run. `place` is the repository's name, which
    errors say instead of the folder's."""
    present = {file.name: file.lstat() for file in folder.iterdir()}
    for name in sorted({*present, *sizes}):
        facts = present.get(name)
        if name not in sizes or facts is None or not stat.S_ISREG(facts.st_mode):
            raise InputError(f"{place}: refused: {name} is not the file that is listed")
        if facts.st_size != sizes[name]:
            raise InputError(
                f"{place}: refused: {name} has {facts.st_size:,} bytes, and "
                f"{sizes[name]:,} are listed"
            )
    try:
        read_run(RunFolder(folder))
    except InputError as error:
        raise InputError(str(error).replace(str(folder), place)) from error


def read_run(run: RunFolder) -> None:
    """Reads all of a run folder but its arrays; raises `InputError` unless it is sound:
    the files that training wrote, weights among them, the right format."""
    run.check_folder()
    run.check_files()
    if not run.is_verified():
        raise InputError(f"{run.path} is no complete run: {RECORD} is missing")
    weights = run.path / run.experiment().family.weights_file
    if not weights.is_file():
        raise InputError(f"{run.path} is no complete run: {weights.name} is missing")
    run.environment()
    run.vocabulary()
    run.splits()
    run.metrics()
