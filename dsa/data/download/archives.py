"""Archives, unpacked below a folder or not at all."""

import shutil
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically

DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError)


def unpack(archive: Path, folder: Path, top_folder: str = "") -> list[Path]:
    """Writes the files of a zip or a `.tar.gz` below a folder, without those that are
    litter of the system that packed it (`__MACOSX/`, `.DS_Store`, macOS's `Icon`).

    `top_folder` is a folder in the archive that its files are written without. Returns
    their paths.

    Raises: `InputError` for a damaged archive, and before anything is written for a
        member that would be written elsewhere.
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
    for name, size, content in read(archive):
        if name in paths:
            _write(paths[name], size, content)
    return list(paths.values())


def _check_zip(archive):
    """Raises: `BadZipFile` for a file in it that is damaged."""
    with zipfile.ZipFile(archive) as packed:
        damaged = packed.testzip()
    if damaged:
        raise zipfile.BadZipFile(damaged)


def _read_zip(archive):
    """Yield name, size and open file of each file."""
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            if not member.is_dir():
                with packed.open(member) as content:
                    yield member.filename, member.file_size, content


def _read_tar(archive):
    """As `_read_zip`. Links and devices are left out; a damaged archive shows when the
    next name is read."""
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
        raise InputError(f"{archive.name}: refused: its member {name!r} leads outside")


def _write(path, size, content):
    path.parent.mkdir(parents=True, exist_ok=True)

    def write(temporary):
        with open(temporary, "wb") as file:
            shutil.copyfileobj(content, file, 1 << 20)

    write_atomically(path, write, room=size)
