"""Extracts zip and tar archives."""

import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically

DAMAGE_ERRORS = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError)


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

    Raises: `InputError` if the archive is damaged, a member is outside the folder, or a
        file exists and is not in `replaceable`. No file is written in these cases.
        After any other error, new files are removed.
    """
    try:
        if not _is_tar(archive):
            _check_zip(archive)
        names = [name for name, _, _ in _read_members(archive) if _is_wanted(name)]
        for name in names:
            _check_member(name, archive)
    except DAMAGE_ERRORS as error:
        raise InputError(f"{archive.name}: damaged archive: {error}") from error
    paths = {name: folder / name.removeprefix(f"{top_folder}/") for name in names}
    for path in paths.values():
        check_replaceable(path, replaceable)
    new_files = [path for path in paths.values() if not path.exists()]
    try:
        for name, size, content in _read_members(archive):
            if name in paths:
                _write(paths[name], size, content)
    except BaseException:  # also after Ctrl-C: unrecorded files block a new download
        for path in new_files:
            path.unlink(missing_ok=True)
        raise
    return list(paths.values())


def check_replaceable(path: Path, replaceable: Collection[Path]) -> None:
    """Raises `InputError` if a file exists and is not in `replaceable`.

    Args:
        path: the file.
        replaceable: files of earlier downloads.
    """
    if path.exists() and path not in replaceable:
        raise InputError(
            f"{path} exists and was not downloaded by this command. Rename or remove "
            "the file, or use it unchanged"
        )


def _is_tar(archive):
    return archive.name.endswith(".tar.gz")


def _read_members(archive):
    """Yields `(name, size in bytes, open file)` for each file of an archive."""
    if _is_tar(archive):
        yield from _read_tar(archive)
    else:
        yield from _read_zip(archive)


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
    """Returns whether a member is not a metadata file of macOS."""
    path = PurePosixPath(name)
    return not ("__MACOSX" in path.parts or path.name in (".DS_Store", "Icon\r"))


def _check_member(name, archive):
    """Raises `InputError` if a member is outside the folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise InputError(f"{archive.name}: member {name!r} is outside the folder")


def _write(path, size, content):
    """Writes the content of a member to a file, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def write(temporary):
        with open(temporary, "wb") as file:
            shutil.copyfileobj(content, file, 1 << 20)

    write_atomically(path, write, reserved_bytes=size)
