"""Reads word vectors in the formats of GloVe, word2vec and fastText.

- GloVe: Pennington et al. 2014, https://nlp.stanford.edu/projects/glove/. Text.
- word2vec: Mikolov et al. 2013, https://code.google.com/archive/p/word2vec/. A header
  line with the number of words and the size of the vectors, followed by text or binary
  numbers.
- fastText: Bojanowski et al. 2017, https://fasttext.cc. Text with the same header line.
"""

import itertools
from pathlib import Path

import numpy as np

from dsa.data.words.vector_formats import is_binary, is_header, open_vector_file
from dsa.errors import InputError
from dsa.parsing import parse_integer
from dsa.system.terminal import show_progress

CHUNK_BYTES = 2**20  # bytes per read of a binary file
MAX_WORD_BYTES = 2**12
FLOAT32 = np.dtype("<f4")


def read_vectors(path, units, words, frequent=0):
    """Reads the vectors of the given words, and of the first words of a file.

    Each line of a text file consists of a word and `units` numbers, separated by single
    spaces or tabs. Lines are split from the right, because words of GloVe 840B contain
    spaces. A header line must contain the number of words, and `units`.
    If a word has several vectors, the first one is used. A zip file must contain
    exactly one vector file, or exactly one file whose name ends in `.<units>d.txt`.

    Args:
        path: a text file, or a file in word2vec's binary format; plain, gzipped or
            zipped.
        units: size of the vectors.
        words: words to read.
        frequent: number of additional words to read from the beginning of the file.

    Returns: `{word: float32 array (units,)}`, in file order.

    Raises: `InputError` if the file is damaged, the vectors have another size, the
        number of words is wrong, a number is malformed, or the format is not supported.
        For an unsupported format, the message contains a conversion command.
    """
    path, words = Path(path), {word.encode() for word in words}
    if is_binary(path, units):
        return _read_binary_vectors(path, units, words, frequent)
    return _read_text_vectors(path, units, words, frequent)


def check_vector_size(path, units):
    """Checks the size of the first vector of a file.

    Args:
        path, units: as in `read_vectors`.

    Raises: `InputError`: see `read_vectors`.
    """
    path = Path(path)
    if is_binary(path, units):
        next(_read_entries(path, units))
        return
    number, line = next(_read_lines(path, units))
    if line.count(b" ") < units:
        _raise_short_line(line, number, path, units)
    _check_units(line.rsplit(b" ", units)[0], path, units)


def read_first_words(path, units, count):
    """Returns the set of the first `count` words of a file. Invalid UTF-8 is
    replaced."""
    path = Path(path)
    if is_binary(path, units):
        words = (word for _, word, _ in _read_entries(path, units))
    else:
        words = (line.rsplit(b" ", units)[0] for _, line in _read_lines(path, units))
    return {word.decode(errors="replace") for word in itertools.islice(words, count)}


def iterate_binary_vectors(path, units):
    """Yields `(word, float32 vector (units,))` of a file in word2vec's binary format.

    Words that are empty, contain a line feed or are not in UTF-8 are skipped.

    Args:
        path, units: as in `read_vectors`.

    Raises: `InputError`: see `read_vectors`.
    """
    for _, word, values in _read_entries(Path(path), units):
        text = word.decode(errors="replace")
        if text and not {"\n", "\ufffd"} & set(text):
            yield text, np.frombuffer(values, FLOAT32)


def _read_text_vectors(path, units, words, frequent):
    """Returns the result of `read_vectors` for a text file; `words` are bytes."""
    first_parts = {word.split(b" ", 1)[0] for word in words}
    vectors = {}
    for position, (number, line) in enumerate(_read_lines(path, units)):
        is_frequent = position < frequent
        if line.count(b" ") < units:
            _raise_short_line(line, number, path, units)
        first_part = line[: line.find(b" ")]
        if position > 0 and not is_frequent and first_part not in first_parts:
            continue  # faster than splitting the line
        word, *numbers = line.rsplit(b" ", units)
        if position == 0:
            _check_units(word, path, units)
        if is_frequent or word in words:
            location = f"{path}, line {number}"
            _add_vector(vectors, word, _parse_numbers(numbers, location), location)
    return vectors


def _read_binary_vectors(path, units, words, frequent):
    """Returns the result of `read_vectors` for a binary file; `words` are bytes."""
    vectors = {}
    for number, word, content in _read_entries(path, units):
        if number <= frequent or word in words:
            location = f"{path}, word {number}"
            vector = np.frombuffer(content, FLOAT32).astype(np.float32)
            _add_vector(vectors, word, vector, location)
    return vectors


def _read_lines(path, units):
    """Yields `(line number, line)` of a text file. The header line is skipped, and
    tabs are replaced by spaces.

    Raises: `InputError` if the number of lines differs from the number in the header.
    """
    number = 0
    stated = None  # number of words in the header line
    with open_vector_file(path, units) as (file, size, position):
        lines = show_progress(file, f"reading {path.name}", size, position)
        for number, line in enumerate(lines, start=1):
            if number == 1 and _has_header(line, units):
                stated = _read_header(line, path, units)
                continue
            yield number, line.rstrip(b" \r\n").replace(b"\t", b" ")
    if stated is not None and number - 1 != stated:
        raise InputError(
            f"{path}, line 1: the header states {stated:,} words, but {number - 1:,} "
            "lines follow. The file may be truncated"
        )


def _read_entries(path, units):
    """Yields `(number, word, bytes of the vector)` for each entry of a file in
    word2vec's binary format, numbered from 1."""
    with open_vector_file(path, units) as (file, size, position):
        stated = _read_header(file.readline(), path, units)
        entries = _split_entries(file, path, units, stated)
        yield from show_progress(entries, f"reading {path.name}", size, position)


def _split_entries(file, path, units, count):
    """Yields `count` entries as `_read_entries`. An entry consists of a word, a space
    and `units` float32 numbers; some files have a line feed after each entry."""
    vector_bytes = units * FLOAT32.itemsize
    buffer, start = b"", 0
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
        raise InputError(f"{path}: the header states {count:,} words, but more follow")


def _parse_numbers(numbers, location):
    """Returns the numbers of a line as a float32 array."""
    try:
        with np.errstate(over="ignore"):  # infinity is rejected by `_add_vector`
            values = np.array(numbers, dtype=np.float32)
    except ValueError as error:
        raise InputError(f"{location}: {error}") from error
    if b"_" in b"".join(numbers):  # NumPy parses 1_0 as 10
        raise InputError(f"{location}: '_' in a number")
    return values


def _add_vector(vectors, word, values, location):
    """Adds the vector of a word to `vectors`.

    The vector is skipped if the word already has a vector, is empty or contains a line
    feed.

    Raises: `InputError` if the word is not in UTF-8, or a number is not finite.
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
        return False  # the first line consists of a numeric word and its only number
    return is_header(line)


def _read_header(line, path, units):
    """Returns the number of words in a header line.

    Raises: `InputError` if the vectors have another size.
    """
    try:
        words, size = (parse_integer(field.decode()) for field in line.split())
    except ValueError as error:
        raise InputError(f"{path}, line 1: {error}") from error
    if size != units:
        _raise_other_units(path, size, units)
    return words


def _raise_short_line(line, number, path, units):
    """Raises `InputError` for a line with fewer than `units` numbers."""
    num_values = line.count(b" ")
    if number <= 2:
        _raise_other_units(path, num_values, units)
    raise InputError(
        f"{path}, line {number}: {num_values} numbers after the word instead of "
        f"{units}. The file may be truncated"
    )


def _check_units(word, path, units):
    """Raises `InputError` if numbers follow the first word of a file, which means that
    the vectors are longer than `units`."""
    _, *extra = word.split(b" ")
    try:
        numbers = [float(part) for part in extra]
    except ValueError:
        return  # a word with spaces
    if numbers:
        _raise_other_units(path, len(numbers) + units, units)


def _raise_other_units(path, size, units):
    raise InputError(
        f"{path} contains vectors of size {size}, but 'embedding.units' is {units}"
    )
