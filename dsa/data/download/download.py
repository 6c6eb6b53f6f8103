"""Downloads corpora, word vectors and WordNet from their official addresses.

A file gets its final name after its SHA-256 has been verified, and the members of an
archive are written only to the data root.
"""

import functools
import json
import logging
from pathlib import Path
from typing import Any

import pooch
import requests
import urllib3

from dsa.data.corpora.catalogue import DOWNLOADS
from dsa.data.corpora.corpus import RemoteFile
from dsa.data.download.archives import check_free, unpack
from dsa.errors import InputError
from dsa.system import environment, network_bounds
from dsa.system.atomic_files import removing_empty_folders, write_atomically
from dsa.system.reading import fingerprint, read_json_object
from dsa.system.terminal import show_progress

log = logging.getLogger(__name__)
RECORD = "downloads.json"
CHUNK = 2**16  # bytes per read
ROOM = 2**20  # bytes that a response may exceed twice the stated size


def download(name: str, root: Path | str) -> list[Path]:
    """Downloads an entry of `DOWNLOADS` to a data root and returns its files. Files of
    an earlier download are not downloaded again.

    Raises: `InputError`, without leaving partial files, if the server fails, the
        connection is interrupted, a checksum differs, a member of an archive is
        outside its folder, or a file exists that no earlier download has written.
    """
    files = []
    for source in DOWNLOADS[name].files:
        with removing_empty_folders(Path(root, source.folder)):
            files += _download_file(source, Path(root))
    return files


def _download_file(source: RemoteFile, root: Path) -> list[Path]:
    record = _record(root)
    known = record.get(source.url, {})
    files = [root / file for file in known.get("files", [])]
    if files and all(path.is_file() for path in files):
        log.info("%s: already downloaded", source.filename)
        return files
    folder = root / source.folder
    own = {root / file for entry in record.values() for file in entry["files"]}
    check_free(folder / source.filename, own)
    archive = _fetch(source, folder, known.get("sha256"))
    digest = fingerprint(archive)
    if not (source.sha256 or source.written or "sha256" in known):
        log.warning(
            "%s: no published sha256; recording the sha256 of this download: %s",
            source.filename,
            digest,
        )
    if source.unpack:
        try:
            files = unpack(archive, folder, source.top_folder, own)
        finally:
            archive.unlink()
    else:
        files = [archive]
        if source.encoding:
            _write_as_utf_8(archive, source.encoding)
    _check_written(source, files)
    record[source.url] = {
        "sha256": digest,
        "sha256_from": source.sha256_source if source.sha256 else "the first download",
        "date": environment.now(),
        "files": [file.relative_to(root).as_posix() for file in files],
    }
    write_atomically(root / RECORD, json.dumps(record, indent=1) + "\n")
    return files


def _record(root):
    """Returns the record of earlier downloads by address."""
    path = root / RECORD
    record = read_json_object(path) if path.exists() else {}
    for address, known in record.items():
        files = known.get("files") if isinstance(known, dict) else None
        texts = [known.get("sha256"), *files] if isinstance(files, list) else [None]
        if not all(isinstance(text, str) for text in texts):
            raise InputError(
                f"{path}: {address[:80]!r} must have a 'sha256' and a list of 'files'"
            )
    return record


def _fetch(source: RemoteFile, folder: Path, recorded: str | None) -> Path:
    """Downloads a file and returns its path. Mirrors are used only if the checksum is
    known."""
    expected = source.sha256 or recorded
    failures = []
    for url in (source.url, *(source.mirrors if expected else ())):
        try:
            return _fetch_from(url, source, folder, expected)
        except InputError as error:
            if failures or source.mirrors:
                log.warning("%s", error)
            failures.append(str(error))
    raise InputError(f"{'. '.join(failures)}. {_describe_manual_download(source)}")


def _fetch_from(
    url: str, source: RemoteFile, folder: Path, expected: str | None
) -> Path:
    most = 2 * (source.size or source.at_most) + ROOM
    pooch.get_logger().setLevel(logging.WARNING)  # hides advice on calling pooch
    try:
        path = pooch.retrieve(
            url,
            expected and f"sha256:{expected}",
            source.filename,
            folder,
            downloader=_make_downloader(most),
        )
    except requests.RequestException as error:
        raise InputError(f"{url} could not be downloaded ({_reason(error)})") from error
    except InputError:  # a subclass of ValueError
        raise
    except ValueError as error:  # raised by pooch for a wrong hash
        raise InputError(
            f"{url}: not the expected file: its sha256 is not {expected}. The "
            "connection was interrupted, or the file has changed. Nothing was kept"
        ) from error
    return Path(path)


def _make_downloader(most: int) -> Any:
    """Returns a downloader for pooch that limits the time and the size of a response.
    The time-out of requests applies to single reads, so that a slow server could block
    it forever."""

    def download_file(url: str, output_file: str, _: Any) -> None:
        with _request(url) as response, open(output_file, "wb") as file:
            response.raise_for_status()
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() else None
            read = functools.partial(response.raw.read1, CHUNK)
            parts = network_bounds.keep_pace(iter(read, b""), requests.ReadTimeout)
            try:
                for part in show_progress(parts, Path(url).name, total, file.tell):
                    file.write(part)
                    if file.tell() > most:
                        raise InputError(f"{url}: more than {most:,} bytes")
            except urllib3.exceptions.HTTPError as error:
                raise requests.ConnectionError(error) from error

    return download_file


def _request(url: str) -> requests.Response:
    """Returns a response without its content."""
    request = functools.partial(
        requests.get,
        url,
        stream=True,
        timeout=(network_bounds.CONNECT_SECONDS, network_bounds.SILENT_SECONDS),
        headers={"Accept-Encoding": "identity"},
    )
    try:
        return network_bounds.call_within(network_bounds.ANSWER_SECONDS, request)
    except TimeoutError as error:
        raise requests.ReadTimeout(str(error)) from error


def _describe_manual_download(source: RemoteFile) -> str:
    how = " and unpack it there" if source.unpack else ""
    place = f"{source.folder}/ below " if source.folder else ""
    mirrors = f" or from {', '.join(source.mirrors)}" if source.mirrors else ""
    check = f"check that its sha256 is {source.sha256}, " if source.sha256 else ""
    return (
        "Alternatively, download it on another machine from the same address"
        f"{mirrors}, {check}put it into {place}the data root{how}"
    )


def _reason(error):
    if error.response is not None:
        return f"HTTP status {error.response.status_code}"
    return type(error).__name__


def _check_written(source, files):
    """Compares the written files with their known checksums; deletes all files if a
    checksum differs."""
    found = {file.name: fingerprint(file) for file in files}
    for name, expected in source.written.items():
        if found.get(name) != expected:
            for file in files:
                file.unlink()
            raise InputError(
                f"{source.url}: not the expected file: the sha256 of {name} is not "
                f"{expected}. The file has changed. Nothing was kept"
            )


def _write_as_utf_8(path, encoding):
    """Converts a file to UTF-8 unless it is valid UTF-8."""
    content = path.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError:
        log.info("%s: converting from %s to UTF-8", path.name, encoding)
        write_atomically(path, content.decode(encoding))
