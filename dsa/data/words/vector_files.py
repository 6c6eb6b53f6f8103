"""Reader of word vectors in the text formats of GloVe and word2vec.

Pennington et al. 2014, https://nlp.stanford.edu/projects/glove/.
"""

import contextlib
import gzip
import itertools
import lzma
import zipfile
import zlib
from pathlib import Path

import numpy as np

from dsa.config_section import parse_whole_number
from dsa.errors import InputError
from dsa.system.reading import open_regular
from dsa.system.terminal import show_progress

# RuntimeError: a zip file with a password or an unknown compression method
DAMAGE = (
    *(EOFError, RuntimeError, gzip.BadGzipFile),
    *(lzma.LZMAError, zipfile.BadZipFile, zlib.error),
)


def read_vectors(path, units, words, frequent=0):
    """Reads the vectors of the given words and of the file's first `frequent` words.

    A line is a word and `units` numbers, separated by single spaces or tabs. Lines are
    split from the right, since words of GloVe 840B contain spaces. A word2vec header
    line must contain the number of the following lines, and `units`. The first of
    several lines with the same word is used. A zip file must contain one text file, or
    one whose name ends in `.<units>d.txt`.

    Args:
        path: a text file, plain, gzipped or zipped.
        units: size of the vectors.
        words: words whose vectors are returned.
        frequent: number of words at the beginning of the file that are also returned.

    Returns: a dictionary of word to float32 array `(units,)`, in file order.

    Raises: `InputError` with file, line and reason for a damaged file, vectors of
        another size, a wrong number of lines, or a malformed number.
    """
    words = {word.encode() for word in words}
    first_parts = {word.split(b" ", 1)[0] for word in words}
    vectors = {}
    for position, (number, line) in enumerate(_read_lines(Path(path), units)):
        top = position < frequent
        if line.count(b" ") < units:
            _raise_short_line(line, number, path, units)
        if position and not top and line[: line.find(b" ")] not in first_parts:
            continue
        word, *numbers = line.rsplit(b" ", units)
        if position == 0:
            _check_units(word, path, units)
        if top or word in words:
            _keep(vectors, word, numbers, f"{path}, line {number}")
    return vectors


def check_vector_size(path, units):
    """Checks the vector size of a file by its first line.

    Args:
        path, units: as in `read_vectors`.

    Raises: `InputError` as `read_vectors`.
    """
    path = Path(path)
    number, line = next(_read_lines(path, units))
    if line.count(b" ") < units:
        _raise_short_line(line, number, path, units)
    _check_units(line.rsplit(b" ", units)[0], path, units)


def read_first_words(path, units, count):
    """Returns the words of the first `count` lines of a file. Invalid UTF-8 is
    replaced."""
    lines = itertools.islice(_read_lines(Path(path), units), count)
    return {line.rsplit(b" ", units)[0].decode(errors="replace") for _, line in lines}


def _read_lines(path, units):
    """Yields `(number, line)` of a file, without header and line ends."""
    number, stated = 0, None
    try:
        with _open_text(path, units) as file:
            for number, line in enumerate(file, start=1):
                if number == 1 and _is_header(line, units):
                    stated = _read_header(line, path, units)
                    continue
                yield number, line.rstrip(b" \r\n").replace(b"\t", b" ")
    except DAMAGE as error:
        raise InputError(
            f"{path}, after line {number}: damaged file: {error}"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    if not number:
        raise InputError(f"{path}: no vectors: the file is empty")
    if stated is not None and number - 1 != stated:
        raise InputError(
            f"{path}, line 1: the header states {stated:,} words, but {number - 1:,} "
            "lines follow. The file may be truncated"
        )


def _keep(vectors, word, numbers, place):
    try:
        text = word.decode("utf-8")
        with np.errstate(over="ignore"):  # infinity is rejected below
            values = np.array(numbers, dtype=np.float32)
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: not UTF-8: {error.reason}") from error
    except ValueError as error:
        raise InputError(f"{place}: {error}") from error
    if not np.isfinite(values).all():
        raise InputError(f"{place}: a number is not finite")
    if b"_" in b"".join(numbers):  # NumPy reads 1_0 as 10
        raise InputError(f"{place}: '_' in a number")
    if text and "\n" not in text:
        vectors.setdefault(text, values)


def _is_header(line, units):
    fields = line.split()
    if units == 1 and fields[1:] != [b"1"]:
        return False  # a word of digits and its only number
    return len(fields) == 2 and all(field.isdigit() for field in fields)


def _read_header(line, path, units):
    """Returns the number of lines stated in a header."""
    try:
        lines, numbers = (parse_whole_number(field.decode()) for field in line.split())
    except ValueError as error:
        raise InputError(f"{path}, line 1: {error}") from error
    if numbers != units:
        _raise_other_units(path, numbers, units)
    return lines


def _raise_short_line(line, number, path, units):
    numbers = line.count(b" ")
    if number <= 2:
        _raise_other_units(path, numbers, units)
    raise InputError(
        f"{path}, line {number}: {numbers} numbers after the word instead of {units}. "
        "The file may be truncated"
    )


def _check_units(word, path, units):
    """Raises `InputError` if the first word of a file ends with numbers, because the
    vectors are longer than `units`."""
    _, *extra = word.split(b" ")
    try:
        numbers = [float(part) for part in extra]
    except ValueError:
        return  # a word with spaces
    if numbers:
        _raise_other_units(path, len(numbers) + units, units)


def _raise_other_units(path, numbers, units):
    raise InputError(
        f"{path} contains vectors of size {numbers}, but 'embedding.units' is {units}"
    )


@contextlib.contextmanager
def _open_text(path, units):
    """Opens a plain, gzipped or zipped file in binary mode, with a progress bar."""
    with contextlib.ExitStack() as opened:
        file = lines = opened.enter_context(open_regular(path))
        size, position = path.stat().st_size, file.tell
        if path.suffix == ".gz":
            lines = opened.enter_context(gzip.open(file, "rb"))
        elif path.suffix == ".zip":
            archive = opened.enter_context(zipfile.ZipFile(file))
            name = _choose_member(archive, path, units)
            lines = opened.enter_context(archive.open(name))
            size, position = archive.getinfo(name).file_size, lines.tell
        yield show_progress(lines, f"reading {path.name}", size, position)


def _choose_member(archive, path, units):
    names = (name for name in archive.namelist() if not name.startswith("__MACOSX/"))
    texts = [name for name in names if name.endswith((".txt", ".vec"))]
    matching = [name for name in texts if name.endswith(f".{units}d.txt")]
    if len(matching) == 1 or len(texts) == 1:
        return (matching or texts)[0]
    raise InputError(
        f"{path}: no text file with {units}-d vectors ('embedding.units'). "
        f"Text files: {', '.join(texts) or 'none'}"
    )
