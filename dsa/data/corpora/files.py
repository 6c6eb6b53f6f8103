"""Finds and reads corpus files."""

import contextlib
import functools
import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from dsa.data.corpora.catalogue import find_download
from dsa.data.corpora.hub_rows import fetch_rows, is_address
from dsa.data.corpora.subsets import SUBSETS, find_subset
from dsa.errors import InputError
from dsa.system.folders import find_bundled
from dsa.system.reading import check_regular, fingerprint, open_regular

BUNDLED = "mini"  # folder of the corpus included in the package
MAX_LINE_BYTES = 2**24  # a longer line of a small gzip file could exhaust the memory


def find_file(root: Path | str, path: str) -> Path:
    """Returns the path of a data file, or of its gzipped version.

    Files of the bundled corpus are also searched in the package. The data set of an
    address `hf://...` is downloaded to the cache folder.

    Args:
        root: the data root.
        path: path of the file without `.gz`, relative to the data root, or an address
            `hf://...`.

    Raises: `InputError` if the file does not exist, or is a folder or a named pipe. The
        message contains the command that downloads the file.
    """
    if is_address(path):
        return fetch_rows(path)
    for folder in _list_roots(root, path):
        candidates = [Path(folder, path), Path(folder, f"{path}.gz")]
        for candidate in candidates:
            if candidate.is_file():
                return candidate
        for candidate in candidates:
            check_regular(candidate)
    if Path(root, path).is_dir():
        raise InputError(
            f"{Path(root, path)}: expected a file. Received: a folder, {path!r}"
        )
    raise InputError(
        f"file not found: {Path(root, path)} (also searched with .gz). Paths are "
        "relative to the data root, which is --data-root, else DSA_DATA, else data/"
        f"{_describe_download(path)}"
    )


def _describe_download(path):
    """Returns the last sentence of an error message, with the command that downloads a
    file; "" if the file is not in the catalogue."""
    subset = find_subset(path)
    download = find_download(SUBSETS[subset].source if subset else path)
    if download is None:
        return ""
    command = f"dsa download {download.name}"
    if subset:
        command += f", then dsa subset {subset}"
    return f". To download it: {command}"


def _list_roots(root, path):
    """Yields the folders to search for a path."""
    yield root
    if Path(path).parts[:1] == (BUNDLED,):
        yield find_bundled() / "data"


def fingerprint_if_present(root: Path | str, path: str) -> str | None:
    """Returns the fingerprint of a data file, or `None` if the file is missing."""
    if not is_present(root, path):
        return None
    return fingerprint(find_file(root, path))


def is_present(root: Path | str, path: str) -> bool:
    """Returns whether `find_file` finds a file."""
    try:
        find_file(root, path)
    except InputError:
        return False
    return True


def read_lines(
    path: Path | str, encoding: str = "utf-8", errors: str = "strict"
) -> Iterator[tuple[int, str]]:
    """Yields `(line number, line)` of a plain or gzipped text file, counted from 1.

    Lines end with `\\n` only, because texts contain U+0085 and similar characters. A
    `\\r` before `\\n` and a byte order mark at the start are removed.

    Args:
        path: the file; "-" for standard input.
        encoding: encoding of the file.
        errors: "strict", or "replace" to replace undecodable bytes by U+FFFD.

    Raises: `InputError` if the file cannot be opened, the gzip stream is damaged, bytes
        cannot be decoded, or a line is longer than `MAX_LINE_BYTES`.
    """
    number = 0
    try:
        with _open(path) as file:
            read_line = functools.partial(file.readline, MAX_LINE_BYTES + 1)
            for number, line in enumerate(iter(read_line, b""), start=1):
                if len(line) > MAX_LINE_BYTES:
                    raise InputError(
                        f"{path}, line {number}: expected a line of at most "
                        f"{MAX_LINE_BYTES:,} bytes"
                    )
                text = line.decode(encoding, errors)
                if number == 1:
                    text = text.removeprefix("\ufeff")
                yield number, text.removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}, line {number}: not {encoding.upper()}: {error.reason}"
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            f"{path}, after line {number}: damaged gzip file: {error}"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def get_suffix(path: Path | str) -> str:
    """Returns the suffix of a path without `.gz` in lower case, such as ".tsv" for
    `a.TSV.gz`."""
    return Path(str(path).removesuffix(".gz")).suffix.lower()


@contextlib.contextmanager
def _open(path):
    """Opens a plain or gzipped file, or standard input, in binary mode."""
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed")
        with open(sys.stdin.fileno(), "rb", closefd=False) as file:
            yield file
        return
    with open_regular(path) as file:
        if Path(path).suffix == ".gz":
            with gzip.open(file, "rb") as unzipped:
                yield unzipped
        else:
            yield file


def read_first_line(path: Path | str, errors: str = "strict") -> str:
    """Returns the first line of a file, or "" if the file is empty.

    Args:
        path, errors: as in `read_lines`.
    """
    for _, line in read_lines(path, errors=errors):
        return line
    return ""
