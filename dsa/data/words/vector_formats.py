"""Opens plain and compressed word vector files, and detects their format."""

import contextlib
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from dsa.errors import InputError
from dsa.system.reading import open_regular

# RuntimeError: a zip file with a password or an unknown compression method
DAMAGE_ERRORS = (
    EOFError,
    RuntimeError,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
)
HEAD_BYTES = 2**12  # bytes to read for the detection of the format
CONTROL_BYTES = set(range(9))  # they do not occur in text

GENSIM = "python -c \"from gensim.models import KeyedVectors; KeyedVectors.load('{0}')"
FASTTEXT = (
    'python -c "from gensim.models.fasttext import load_facebook_vectors; '
    "load_facebook_vectors('{0}')"
)
SAVE = ".save_word2vec_format('vectors.txt')\""
# magic bytes -> (format, conversion command)
OTHER_FORMATS = {
    b"\xba\x16\x4f\x2f": ("fastText's binary format", FASTTEXT + SAVE),
    b"\x80": ("a pickle, such as gensim's format", GENSIM + SAVE),
    b"BZh": ("compressed by bzip2", "bunzip2 {0}"),
    b"\xfd7zXZ": ("compressed by xz", "unxz {0}"),
    b"7z\xbc\xaf": ("a 7z archive", "7z x {0}"),
    b"PK\x03\x04": ("a zip file without the suffix '.zip'", "mv {0} {0}.zip"),
    b"\x1f\x8b": ("a gzip file without the suffix '.gz'", "mv {0} {0}.gz"),
}


@contextlib.contextmanager
def open_vector_file(
    path: Path, units: int
) -> Iterator[tuple[IO[bytes], int, Callable[[], int]]]:
    """Opens a plain, gzipped or zipped file in binary mode.

    Args:
        path: the file. A zip file must contain exactly one vector file, or exactly one
            file whose name ends in `.<units>d.txt`.
        units: size of the vectors.

    Yields: the open file, its size in bytes, and a function that returns the number of
        bytes that have been read. For a gzip file, both numbers are compressed bytes.

    Raises: `InputError` if the file cannot be opened or is damaged. Read errors inside
        the context are converted as well.
    """
    try:
        with contextlib.ExitStack() as opened:
            file = opened.enter_context(open_regular(path))
            content: Any = file
            size, position = path.stat().st_size, file.tell
            if path.suffix == ".gz":
                content = opened.enter_context(gzip.open(file, "rb"))
            elif path.suffix == ".zip":
                archive = opened.enter_context(zipfile.ZipFile(file))
                name = _choose_member(archive, path, units)
                content = opened.enter_context(archive.open(name))
                size, position = archive.getinfo(name).file_size, content.tell
            yield content, size, position
    except DAMAGE_ERRORS as error:
        raise InputError(f"{path}: damaged file: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def is_binary(path: Path, units: int) -> bool:
    """Returns whether a file has the binary format of word2vec.

    The binary format consists of a text header line and binary numbers.

    Args:
        path, units: as in `open_vector_file`.

    Raises: `InputError` if the file is empty or has an unsupported format. For an
        unsupported format, the message contains a conversion command.
    """
    with open_vector_file(path, units) as (file, _, _):
        head = file.read(HEAD_BYTES)
    if not head:
        raise InputError(f"{path}: the file is empty")
    for magic, (name, command) in OTHER_FORMATS.items():
        if head.startswith(magic):
            raise InputError(
                f"{path}: this format is not supported: {name}. To convert the file: "
                f"{command.format(path)}"
            )
    header, _, rest = head.partition(b"\n")
    return is_header(header) and not CONTROL_BYTES.isdisjoint(rest)


def is_header(line: bytes) -> bool:
    """Returns whether a line is a word2vec header: two integers."""
    fields = line.split()
    return len(fields) == 2 and all(field.isdigit() for field in fields)


def _choose_member(archive, path, units):
    """Returns the name of the vector file in a zip archive."""
    names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
    texts = [name for name in names if name.endswith((".txt", ".vec"))]
    binary = [name for name in names if name.endswith(".bin")]
    matching = [name for name in texts if name.endswith(f".{units}d.txt")]
    if len(matching) == 1:
        return matching[0]
    if len(texts) == 1:
        return texts[0]
    if not texts and len(binary) == 1:
        return binary[0]
    raise InputError(
        f"{path}: the archive must contain exactly one text file with {units}-d "
        "vectors ('embedding.units'). "
        f"Text files: {', '.join(texts) or 'none'}"
    )
