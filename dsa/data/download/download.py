"""Corpora and word vectors from where their authors keep them.

Nothing is taken that is not what was expected: a file has a temporary name until its
sha256 is right, and an archive's members are written below the data root or not at all.
"""

import json
import logging
import shutil
import zipfile
from pathlib import Path, PurePosixPath

import pooch
import requests

from dsa import environment
from dsa.data.download.sources import SOURCES
from dsa.errors import InputError
from dsa.storage.atomic_files import write_atomically
from dsa.storage.fingerprints import fingerprint
from dsa.storage.text_files import read_json_object

log = logging.getLogger(__name__)
RECORD = "downloads.json"
SECONDS_WITHOUT_DATA = 60


def download(name, root):
    """Download what goes by a name in `SOURCES`, unless it is there.

    Args:
        name: a key of `SOURCES`.
        root: the data root.

    Returns: the files, a list of paths.

    Raises: `InputError` for a server that does not answer or has no such file, a cut
        connection, a file with another sha256 than expected, and an archive with a
        member that would be written outside its folder. Nothing of it stays.
    """
    files = []
    for source in SOURCES[name]:
        files += _one(source, Path(root))
    return files


def _one(source, root):
    record = _record(root)
    known = record.get(source.url, {})
    there = [root / file for file in known.get("files", [])]
    if there and all(path.is_file() for path in there):
        log.info("%s: there already", source.filename)
        return there
    folder = root / source.folder
    archive = _fetch(source, folder, known.get("sha256"))
    digest = fingerprint(archive)
    if source.sha256 is None and "sha256" not in known:
        log.warning(
            "%s: no public source names its sha256; recorded as found: %s",
            source.filename,
            digest,
        )
    if source.unpack:
        try:
            files = unpack(archive, folder)
        finally:
            archive.unlink()
    else:
        files = [archive]
    record[source.url] = {
        "sha256": digest,
        "sha256_from": source.sha256_source or "the first download",
        "date": environment.now(),
        "files": [file.relative_to(root).as_posix() for file in files],
    }
    write_atomically(root / RECORD, json.dumps(record, indent=1) + "\n")
    return files


def _record(root):
    """What is recorded of earlier downloads, by address."""
    path = root / RECORD
    record = read_json_object(path) if path.exists() else {}
    for address, known in record.items():
        if not _is_known_download(known):
            raise InputError(
                f"{path}: {address[:80]!r} must have a 'sha256' and a list of 'files'"
            )
    return record


def _is_known_download(known):
    files = known.get("files") if isinstance(known, dict) else None
    return (
        isinstance(files, list)
        and all(isinstance(file, str) for file in files)
        and isinstance(known.get("sha256"), str)
    )


def _fetch(source, folder, recorded):
    expected = source.sha256 or recorded
    pooch.get_logger().setLevel(logging.WARNING)  # it tells how to call pooch
    try:
        path = pooch.retrieve(
            source.url,
            expected and f"sha256:{expected}",
            source.filename,
            folder,
            downloader=pooch.HTTPDownloader(
                progressbar=True, timeout=SECONDS_WITHOUT_DATA
            ),
        )
    except requests.RequestException as error:
        raise InputError(_by_hand(source, _reason(error))) from error
    except ValueError as error:  # pooch's, for another hash
        raise InputError(
            f"{source.url}: not the expected file: its sha256 is not {expected}. The "
            "connection was cut, or the file is another one now; nothing was kept"
        ) from error
    return Path(path)


def _by_hand(source, reason):
    how = " and unpack it there" if source.unpack else ""
    place = (
        f"{source.folder}/ below the data root" if source.folder else "the data root"
    )
    return (
        f"{source.url} could not be downloaded ({reason}). By hand: download it "
        f"elsewhere, check that its sha256 is {source.sha256 or '(not known)'}, put it "
        f"into {place}{how}"
    )


def _reason(error):
    if error.response is not None:
        return f"the server answers {error.response.status_code}"
    return type(error).__name__


def unpack(archive, folder):
    """Write the members of a zip below a folder, those that are somebody's litter
    (`__MACOSX/`, `.DS_Store`, macOS's `Icon`) apart.

    Returns: their paths.

    Raises: `InputError` for a damaged archive, and before anything is written for a
        member that would be written elsewhere.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            members = [each for each in packed.infolist() if _is_wanted(each)]
            for member in members:
                _refuse_escape(member.filename, archive)
            damaged = packed.testzip()
            if damaged:
                raise InputError(f"{archive.name}: damaged archive: {damaged}")
            return [_write_member(packed, member, folder) for member in members]
    except (zipfile.BadZipFile, EOFError) as error:
        raise InputError(f"{archive.name}: damaged archive: {error}") from error


def _is_wanted(member):
    path = PurePosixPath(member.filename)
    litter = "__MACOSX" in path.parts or path.name in (".DS_Store", "Icon\r")
    return not (member.is_dir() or litter)


def _refuse_escape(name, archive):
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise InputError(f"{archive.name}: refused: its member {name!r} leads outside")


def _write_member(packed, member, folder):
    path = folder / member.filename
    path.parent.mkdir(parents=True, exist_ok=True)

    def write(temporary):
        with packed.open(member) as content, open(temporary, "wb") as file:
            shutil.copyfileobj(content, file, 1 << 20)

    write_atomically(path, write, room=member.file_size)
    return path
