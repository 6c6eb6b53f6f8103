"""Which files of a run a repository may hold, and how large.

Others are never uploaded and never downloaded: no state of training, no log, nothing
that is not read as plain text or plain arrays.
"""

import fnmatch
import shutil
import stat
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.run_files import RECORD, VOUCHED
from dsa.experiment.run_folder import RunFolder

CARD = "README.md"
MEGABYTE, GIGABYTE = 10**6, 10**9
ARRAYS = (".h5", ".npz")
RUN_FILES = (
    *VOUCHED,
    RECORD,
    "history.csv",
    "metrics.json",
    "transfer.json",
    "environment.json",
)
LARGEST = {  # bytes of each file
    **{
        name: 8 * GIGABYTE if name.endswith(ARRAYS) else 200 * MEGABYTE
        for name in RUN_FILES
    },
    CARD: MEGABYTE,
}
NEEDED = ("config.yaml", "vocabulary.txt", "environment.json")
BESIDE = (".gitattributes", "LICENSE", "*.md", "*.png")  # harmless, not downloaded
MOST_FILES = 100
SHOWN = 5  # names in an error
POINTER = b"version https://git-lfs.github.com/spec/"


def describe_files(sizes):
    """Lines of names and sizes in bytes, from `{name: size}`, and their sum."""
    lines = [f"  {size:>13,}  {name}" for name, size in sizes.items()]
    return "\n".join([*lines, f"  {sum(sizes.values()):>13,}  bytes"])


def check_size(sizes, place):
    """Raises an error for a file that is larger than such a file may be.

    Args:
        sizes: `{name: bytes}` of `LARGEST`'s names.
        place: what the files are in, for the error.

    Raises: `InputError`.
    """
    for name, size in sizes.items():
        if size > LARGEST[name]:
            raise InputError(
                f"{place}: {name} has {size:,} bytes; at most {LARGEST[name]:,} are "
                "allowed"
            )


def check_listing(files, place):
    """What is to be downloaded of a repository; nothing has been read of it yet.

    Args:
        files: pairs of a path and its size in bytes, as the hub lists them.
        place: the repository's name, for errors.

    Returns: `{name: size}`.

    Raises: `InputError` for a repository that is no run, has other files than a run,
        or too large ones.
    """
    sizes, strange = sort_listing(files, place)
    missing = [name for name in NEEDED if name not in sizes]
    if missing:
        raise InputError(f"{place}: no run of dsa: {', '.join(missing)} is missing")
    check_paths(strange, place)
    for name, size in sizes.items():
        if type(size) is not int or size < 0:
            raise InputError(f"{place}: refused: {name} has no size")
    check_size(sizes, place)
    return sizes


def sort_listing(files, place):
    """The files of a run among those of a repository as `{name: size}`, and a list of
    the paths that no run has.

    Args:
        files, place: see `check_listing`.

    Raises: `InputError` for too many files.
    """
    sizes, strange = {}, []
    for number, (path, size) in enumerate(files, start=1):
        if number > MOST_FILES:
            raise InputError(f"{place}: refused: it holds more than {MOST_FILES} files")
        if path in LARGEST:
            sizes[path] = size
        elif "/" in path or not any(fnmatch.fnmatchcase(path, p) for p in BESIDE):
            strange.append(path)
    return sizes, strange


def check_paths(strange, place):
    """Raises an error if a repository has paths that no run has.

    Raises: `InputError` that names the first ones.
    """
    if strange:
        names = ", ".join(repr(path[:80]) for path in strange[:SHOWN])
        more = f" and {len(strange) - SHOWN} more" if len(strange) > SHOWN else ""
        raise InputError(f"{place}: refused: it holds what no run has: {names}{more}")


def check_disk_space(folder, sizes):
    """Raises an error if files do not fit on the disk of a folder.

    Raises: `InputError`.
    """
    needed, free = sum(sizes.values()), shutil.disk_usage(folder).free
    if needed > free:
        raise InputError(
            f"{folder}: {needed:,} bytes are needed, and {free:,} are free"
        )


def check_download(folder, sizes, place):
    """Check a folder that was downloaded before anybody uses it: it holds these files,
    and they are a sound run.

    Args:
        folder: its path.
        sizes: what `check_listing` returned.
        place: the repository's name, which errors say instead of the folder's.

    Raises: `InputError`.
    """
    folder = Path(folder)
    present = {file.name: file.lstat() for file in folder.iterdir()}
    for name in sorted({*present} | {*sizes}):
        facts = present.get(name)
        if name not in sizes or facts is None or not stat.S_ISREG(facts.st_mode):
            raise InputError(f"{place}: refused: {name} is not the file that is listed")
        if facts.st_size != sizes[name]:
            raise InputError(
                f"{place}: refused: {name} has {facts.st_size:,} bytes, and "
                f"{sizes[name]:,} are listed"
            )
        with open(folder / name, "rb") as file:
            if file.read(len(POINTER)) == POINTER:
                raise InputError(
                    f"{place}: refused: {name} is a pointer of Git LFS, and not the "
                    "file that it stands for"
                )
    try:
        read_run(RunFolder(folder))
    except InputError as error:
        raise InputError(str(error).replace(str(folder), place)) from error


def read_run(run):
    """Read all of a run folder but its arrays, to see that it is sound: no links, the
    files that training wrote, weights among them, the right format.

    Raises: `InputError`.
    """
    run.check_no_links()
    run.check_files()
    is_network = run.experiment().family.is_network
    weights = run.weights if is_network else run.features
    if not weights.is_file():
        raise InputError(f"{run.path} is no complete run: {weights.name} is missing")
    run.environment()
    run.vocabulary()
    run.splits()
    run.metrics()
