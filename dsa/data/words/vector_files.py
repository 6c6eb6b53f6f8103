"""Reads word vectors in the formats of GloVe, word2vec and fastText.

- GloVe: Pennington et al. 2014, https://nlp.stanford.edu/projects/glove/. Text.
- word2vec: Mikolov et al. 2013, https://code.google.com/archive/p/word2vec/. A header
  line with the number of words and the size of the vectors, followed by text or binary
  numbers.
- fastText: Bojanowski et al. 2017, https://fasttext.cc. Text with the same header line.
"""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from dsa.data.words.vector_formats import is_binary, is_header, open_vector_file
from dsa.errors import InputError
from dsa.parsing import parse_integer
from dsa.system.terminal import show_progress

CHUNK_BYTES = 2**20  # bytes per read of a binary file
MAX_WORD_BYTES = 2**12
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FLOAT32 = np.dtype("<f4")


def read_vectors(
    path: Path | str, units: int, words: Iterable[str], num_first: int = 0
) -> dict[str, np.ndarray]:
    """Reads the vectors of the given words, and of the first words of a file.

    Each line of a text file consists of a word and `units` numbers, separated by single
    spaces or tabs. Lines are split from the right, because words of GloVe 840B contain
    spaces. A header line must contain the number of words, and `units`.
    If a word has several vectors, the first vector is used. A zip file must contain
    exactly one vector file, or exactly one file whose name ends in `.<units>d.txt`.

    Args:
        path: path of a text file or a file in word2vec's binary format; plain, gzipped
            or zipped.
        units: dimension of the vectors.
        words: words whose vectors are read.
        num_first: number of lines at the beginning of the file whose vectors are read
            in addition.

    Returns: `{word: float32 array (units,)}`, in file order. Words that are empty or
        contain a line feed are omitted.

    Raises: `InputError` if the file is damaged, the vectors have another dimension, the
        number of words is wrong, a number is malformed, or the format is not supported.
        For an unsupported format, the message contains a conversion command.
    """
    path = Path(path)
    encoded_words = {word.encode() for word in words}
    if is_binary(path, units):
        return _read_binary_vectors(path, units, encoded_words, num_first)
    return _read_text_vectors(path, units, encoded_words, num_first)


def check_vector_size(path: Path | str, units: int) -> None:
    """Raises `InputError` if a file contains no vectors, or if its first vector does
    not have `units` numbers.

    Args:
        path, units: see `read_vectors`.
    """
    path = Path(path)
    if is_binary(path, units):
        next(_read_entries(path, units))
        return
    first = next(_read_lines(path, units), None)
    if first is None:
        raise InputError(f"{path}: the file contains no vectors")
    number, line = first
    if line.count(b" ") < units:
        _raise_short_line(line, number, path, units, is_first=True)
    _check_units(line.rsplit(b" ", units)[0], path, units)


def read_first_words(path: Path | str, units: int, count: int) -> set[str]:
    """Returns the set of words on the first `count` lines of a file.

    Bytes that are not UTF-8 are replaced by U+FFFD.
    """
    path = Path(path)
    if is_binary(path, units):
        words = (word for _, word, _ in _read_entries(path, units))
    else:
        words = (line.rsplit(b" ", units)[0] for _, line in _read_lines(path, units))
    return {word.decode(errors="replace") for word in itertools.islice(words, count)}


def iterate_binary_vectors(
    path: Path | str, units: int
) -> Iterator[tuple[str, np.ndarray]]:
    """Yields `(word, float32 vector (units,))` of a file in word2vec's binary format.

    Words that are empty, contain a line feed or are not UTF-8 are skipped.

    Args:
        path, units: see `read_vectors`.

    Raises: `InputError`: see `read_vectors`.
    """
    for _, word, values in _read_entries(Path(path), units):
        text = word.decode(errors="replace")
        if text and not {"\n", "\ufffd"} & set(text):
            yield text, np.frombuffer(values, FLOAT32)


def _read_text_vectors(path, units, encoded_words, num_first):
    """Returns the result of `read_vectors` for a text file."""
    first_parts = {word.split(b" ", 1)[0] for word in encoded_words}
    vectors = {}
    for position, (number, line) in enumerate(_read_lines(path, units)):
        is_first = position < num_first
        if line.count(b" ") < units:
            _raise_short_line(line, number, path, units, position == 0)
        first_part = line[: line.find(b" ")]
        if position > 0 and not is_first and first_part not in first_parts:
            continue  # faster than splitting the line
        word, *numbers = line.rsplit(b" ", units)
        if position == 0:
            _check_units(word, path, units)
        if is_first or word in encoded_words:
            location = f"{path}, line {number}"
            vector = _parse_numbers(numbers, location)
            _add_vector(vectors, word, vector, location)
    return vectors


def _read_binary_vectors(path, units, encoded_words, num_first):
    """Returns the result of `read_vectors` for a binary file."""
    vectors = {}
    for number, word, content in _read_entries(path, units):
        if number <= num_first or word in encoded_words:
            location = f"{path}, word {number}"
            vector = np.frombuffer(content, FLOAT32).astype(np.float32)
            _add_vector(vectors, word, vector, location)
    return vectors


def _read_lines(path, units):
    """Yields `(line number, line)` of a text file, without its header line. Tabs are
    replaced by spaces.

    Raises: `InputError` if the number of lines differs from the number in the header.
    """
    number = 0
    expected = None  # number of words in the header line
    with open_vector_file(path, units) as (file, size, position):
        lines = show_progress(file, f"reading {path.name}", size, position)
        for number, line in enumerate(lines, start=1):
            if number == 1:
                line = line.removeprefix(BYTE_ORDER_MARK)
                if _has_header(line, units):
                    expected = _parse_header(line, path, units)
                    continue
            yield number, line.rstrip(b" \r\n").replace(b"\t", b" ")
    if expected is not None and number - 1 != expected:
        raise InputError(
            f"{path}, line 1: the header states {expected:,} words, but {number - 1:,} "
            "lines follow. The file may be truncated"
        )


def _read_entries(path, units):
    """Yields `(number, word, bytes of the vector)` for each entry of a file in
    word2vec's binary format. Entries are numbered from 1."""
    with open_vector_file(path, units) as (file, size, position):
        count = _parse_header(file.readline(), path, units)
        entries = _split_entries(file, path, units, count)
        yield from show_progress(entries, f"reading {path.name}", size, position)


def _split_entries(file, path, units, count):
    """Yields `count` entries like `_read_entries`.

    An entry consists of a word, a space and `units` float32 numbers. Some files have a
    line feed after each entry.
    """
    vector_bytes = units * FLOAT32.itemsize
    buffer = b""
    start = 0
    for number in range(1, count + 1):
        if len(buffer) - start < MAX_WORD_BYTES + vector_bytes:
            buffer = buffer[start:] + file.read(
                CHUNK_BYTES + MAX_WORD_BYTES + vector_bytes
            )
            start = 0
        space = buffer.find(b" ", start, start + MAX_WORD_BYTES)
        end = space + 1 + vector_bytes
        if space < 0 or end > len(buffer):
            raise InputError(
                f"{path}: the header states {count:,} words, but word {number:,} is "
                "incomplete. The file may be truncated"
            )
        yield number, buffer[start:space].lstrip(b"\n"), buffer[space + 1 : end]
        start = end
    if (buffer[start:] + file.read(CHUNK_BYTES)).strip():
        raise InputError(
            f"{path}: the header states {count:,} words, but the file contains more"
        )


def _parse_numbers(numbers, location):
    """Returns the numbers of a line as a float32 array."""
    try:
        with np.errstate(over="ignore"):  # infinity is rejected by `_add_vector`
            values = np.array(numbers, dtype=np.float32)
    except ValueError as error:
        raise InputError(f"{location}: {error}") from error
    if b"_" in b"".join(numbers):  # NumPy parses 1_0 as 10
        raise InputError(f"{location}: a number contains '_'")
    return values


def _add_vector(vectors, word, values, location):
    """Adds the vector of a word to `vectors`.

    Words that have a vector already, are empty or contain a line feed are skipped.

    Raises: `InputError` if the word is not UTF-8, or a number is not finite.
    """
    try:
        text = word.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{location}: not UTF-8: {error.reason}") from error
    if not np.isfinite(values).all():
        raise InputError(f"{location}: a number is not finite")
    if text and "\n" not in text:
        vectors.setdefault(text, values)


def _has_header(line, units):
    """Returns whether the first line of a text file is a header line."""
    if units == 1 and line.split()[1:] != [b"1"]:
        return False  # a numeric word and its vector of size 1
    return is_header(line)


def _parse_header(line, path, units):
    """Returns the number of words in a header line.

    Raises: `InputError` if the line is malformed or the vectors do not have `units`
        numbers.
    """
    try:
        num_words, size = (parse_integer(field.decode()) for field in line.split())
    except ValueError as error:
        raise InputError(f"{path}, line 1: {error}") from error
    if size != units:
        _raise_wrong_size(path, size, units)
    return num_words


def _raise_short_line(line, number, path, units, is_first):
    """Raises `InputError` for a line with fewer than `units` numbers."""
    num_values = line.count(b" ")
    if is_first:
        _raise_wrong_size(path, num_values, units)
    raise InputError(
        f"{path}, line {number}: expected {units} numbers after the word. "
        f"Received: {num_values}. The file may be truncated"
    )


def _check_units(word, path, units):
    """Raises `InputError` if the vectors have more than `units` numbers. In this case,
    numbers follow the first word.

    Args:
        word: bytes of the first line without its last `units` numbers.
        path, units: see `read_vectors`.
    """
    _, *parts = word.split(b" ")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return  # a word with spaces
    if numbers:
        _raise_wrong_size(path, len(numbers) + units, units)


def _raise_wrong_size(path, size, units):
    raise InputError(
        f"{path} contains vectors of size {size}, but 'embedding.units' is {units}"
    )
