"""Extraction of zip and tar archives."""

import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically

DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError)


def unpack(
    archive: Path,
    folder: Path,
    top_folder: str = "",
    replaceable: Collection[Path] = (),
) -> list[Path]:
    """Extracts a zip or `.tar.gz` archive and returns the paths of the files.

    Metadata files of macOS (`__MACOSX/`, `.DS_Store`, `Icon`) are skipped.

    Args:
        archive: path of the archive.
        folder: folder to which the members are written.
        top_folder: leading folder to strip from the names of the members.
        replaceable: existing files that may be replaced.

    Raises: `InputError` for a damaged archive, for a member outside the folder, and for
        an existing file that is not in `replaceable`. No file is written in these
        cases.
    """
    is_tar = archive.name.endswith(".tar.gz")
    read = _read_tar if is_tar else _read_zip
    try:
        if not is_tar:
            _check_zip(archive)
        files = [(name, size) for name, size, _ in read(archive) if _is_wanted(name)]
        for name, _ in files:
            _check_member(name, archive)
    except DAMAGE as error:
        raise InputError(f"{archive.name}: damaged archive: {error}") from error
    paths = {name: folder / name.removeprefix(f"{top_folder}/") for name, _ in files}
    for path in paths.values():
        check_replaceable(path, replaceable)
    for name, size, content in read(archive):
        if name in paths:
            _write(paths[name], size, content)
    return list(paths.values())


def check_replaceable(path: Path, replaceable: Collection[Path]) -> None:
    """Raises `InputError` if a file exists and is not in `replaceable`, the files of
    earlier downloads."""
    if path.exists() and path not in replaceable:
        raise InputError(
            f"{path} exists and was not downloaded by this command. Rename or remove "
            "the file, or use it unchanged"
        )


def _check_zip(archive):
    """Raises `BadZipFile` if the archive has a damaged member."""
    with zipfile.ZipFile(archive) as packed:
        damaged = packed.testzip()
    if damaged:
        raise zipfile.BadZipFile(damaged)


def _read_zip(archive):
    """Yields `(name, size in bytes, open file)` for each file of a zip archive."""
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            if not member.is_dir():
                with packed.open(member) as content:
                    yield member.filename, member.file_size, content


def _read_tar(archive):
    """Yields `(name, size in bytes, open file)` for each regular file of a tar
    archive."""
    with tarfile.open(archive, "r:gz") as packed:
        for member in packed:
            if member.isfile():
                yield member.name, member.size, packed.extractfile(member)


def _is_wanted(name):
    path = PurePosixPath(name)
    return not ("__MACOSX" in path.parts or path.name in (".DS_Store", "Icon\r"))


def _check_member(name, archive):
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise InputError(f"{archive.name}: member {name!r} is outside the folder")


def _write(path, size, content):
    path.parent.mkdir(parents=True, exist_ok=True)

    def write(temporary):
        with open(temporary, "wb") as file:
            shutil.copyfileobj(content, file, 1 << 20)

    write_atomically(path, write, reserved_bytes=size)
