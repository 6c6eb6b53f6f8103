"""Downloads corpora, word vectors and WordNet from their official addresses.

A file is renamed to its final name after its SHA-256 has been verified. The members of
an archive are written only below the data root.
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
from dsa.data.download.archives import check_replaceable, unpack
from dsa.errors import InputError
from dsa.system import environment, network_bounds
from dsa.system.atomic_files import removing_empty_folders, write_atomically
from dsa.system.reading import fingerprint, read_json_object
from dsa.system.terminal import show_progress

log = logging.getLogger(__name__)
RECORD_FILE = "downloads.json"  # record of the downloads, in the data root
CHUNK_BYTES = 2**16  # bytes per read
MARGIN_BYTES = 2**20  # a response may have twice the stated size and this margin


def download(name: str, root: Path | str) -> list[Path]:
    """Downloads the files of an entry of `DOWNLOADS` and returns their paths.

    Files of an earlier download are reused. No partial files are left after an error.

    Args:
        name: name of the entry.
        root: the data root.

    Raises: `InputError` if the server fails, the connection is interrupted, a checksum
        differs, a member of an archive is outside its folder, or a file exists that was
        not written by an earlier download.
    """
    files = []
    for source in DOWNLOADS[name].files:
        with removing_empty_folders(Path(root, source.folder)):
            files += _download_file(source, Path(root))
    return files


def _download_file(source: RemoteFile, root: Path) -> list[Path]:
    """Downloads and unpacks a file, records the download, and returns the written
    files."""
    record = _read_record(root)
    entry = record.get(source.url, {})
    files = [root / file for file in entry.get("files", [])]
    if files and all(path.is_file() for path in files):
        log.info("%s: already downloaded", source.filename)
        return files
    folder = root / source.folder
    downloaded = set()
    for download_entry in record.values():
        downloaded.update(root / file for file in download_entry["files"])
    check_replaceable(folder / source.filename, downloaded)
    archive = fetch(source, folder, entry.get("sha256"))
    digest = fingerprint(archive)
    if not (source.sha256 or source.file_checksums or "sha256" in entry):
        log.warning(
            "%s: no published sha256; recording the sha256 of this download: %s",
            source.filename,
            digest,
        )
    if source.unpack:
        try:
            files = unpack(archive, folder, source.top_folder, downloaded)
        finally:
            archive.unlink()
    else:
        files = [archive]
        if source.encoding:
            _convert_to_utf_8(archive, source.encoding)
    _check_files(source, files)
    record = _read_record(root)  # another download may have finished in the meantime
    record[source.url] = {
        "sha256": digest,
        "sha256_from": source.sha256_source if source.sha256 else "the first download",
        "date": environment.get_timestamp(),
        "files": [file.relative_to(root).as_posix() for file in files],
    }
    write_atomically(root / RECORD_FILE, json.dumps(record, indent=1) + "\n")
    return files


def _read_record(root):
    """Returns the record of earlier downloads, `{address: entry}`."""
    path = root / RECORD_FILE
    record = read_json_object(path) if path.exists() else {}
    for address, entry in record.items():
        if not _is_valid_entry(entry):
            raise InputError(
                f"{path}: {address[:80]!r} must have a 'sha256' and a list of 'files'"
            )
    return record


def _is_valid_entry(entry):
    """Returns whether an entry of the record has a checksum and a list of files."""
    if not isinstance(entry, dict) or not isinstance(entry.get("files"), list):
        return False
    return all(isinstance(text, str) for text in (entry.get("sha256"), *entry["files"]))


def fetch(source: RemoteFile, folder: Path, recorded: str | None) -> Path:
    """Downloads a file and returns its path.

    Mirrors are only used if the checksum is published or recorded.
    """
    expected = source.sha256 or recorded
    urls = [source.url]
    if expected:
        urls += source.mirrors
    failures = []
    for url in urls:
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
    """Downloads a file from one address and returns its path."""
    max_bytes = 2 * (source.size or source.max_bytes) + MARGIN_BYTES
    pooch.get_logger().setLevel(logging.WARNING)  # hides advice on calling pooch
    try:
        path = pooch.retrieve(
            url,
            f"sha256:{expected}" if expected else None,
            source.filename,
            folder,
            downloader=_make_downloader(max_bytes),
        )
    except requests.RequestException as error:
        reason = _describe_error(error)
        raise InputError(f"{url} could not be downloaded ({reason})") from error
    except InputError:  # a subclass of ValueError
        raise
    except ValueError as error:  # raised by pooch for a wrong hash
        raise InputError(
            f"{url}: the SHA-256 of the downloaded file must be {expected}. The "
            "connection was interrupted, or the file has changed. Nothing was kept"
        ) from error
    return Path(path)


def _make_downloader(max_bytes: int) -> Any:
    """Returns a downloader for pooch that limits the time and the size of a response.

    The time-out of requests applies to single reads and would never stop a slow server.
    """

    def download_file(url: str, output_file: str, _: Any) -> None:
        with _request(url) as response, open(output_file, "wb") as file:
            response.raise_for_status()
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() else None
            read = functools.partial(response.raw.read1, CHUNK_BYTES)
            chunks = network_bounds.limit_response_time(
                iter(read, b""), requests.ReadTimeout
            )
            try:
                for chunk in show_progress(chunks, Path(url).name, total, file.tell):
                    file.write(chunk)
                    if file.tell() > max_bytes:
                        raise InputError(
                            f"{url}: the file must have at most {max_bytes:,} bytes"
                        )
            except urllib3.exceptions.HTTPError as error:
                raise requests.ConnectionError(error) from error

    return download_file


def _request(url: str) -> requests.Response:
    """Returns the response of a server, before its content is read."""
    request = functools.partial(
        requests.get,
        url,
        stream=True,
        timeout=(network_bounds.CONNECT_TIMEOUT, network_bounds.READ_TIMEOUT),
        headers={"Accept-Encoding": "identity"},
    )
    try:
        return network_bounds.call_with_timeout(
            network_bounds.RESPONSE_TIMEOUT, request
        )
    except TimeoutError as error:
        raise requests.ReadTimeout(str(error)) from error


def _describe_manual_download(source: RemoteFile) -> str:
    """Returns the steps of a manual download."""
    mirrors = f" or from {', '.join(source.mirrors)}" if source.mirrors else ""
    check = f"check that its sha256 is {source.sha256}, " if source.sha256 else ""
    folder = (
        f"{source.folder}/ below the data root" if source.folder else "the data root"
    )
    unpacking = " and unpack it" if source.unpack else ""
    return (
        "Alternatively, download the file on another machine from the same address"
        f"{mirrors}, {check}put it into {folder}{unpacking}"
    )


def _describe_error(error):
    """Returns the HTTP status or the type of an error of requests."""
    if error.response is not None:
        return f"HTTP status {error.response.status_code}"
    return type(error).__name__


def _check_files(source, files):
    """Compares the written files with their known checksums, and deletes all files if a
    checksum differs."""
    checksums = {file.name: fingerprint(file) for file in files}
    for name, expected in source.file_checksums.items():
        if checksums.get(name) != expected:
            for file in files:
                file.unlink()
            raise InputError(
                f"{source.url}: the SHA-256 of {name} must be {expected}. The file "
                "has changed. Nothing was kept"
            )


def _convert_to_utf_8(path, encoding):
    """Converts a file to UTF-8. A file that is valid UTF-8 is unchanged."""
    content = path.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError:
        log.info("%s: converting from %s to UTF-8", path.name, encoding)
        write_atomically(path, content.decode(encoding))
