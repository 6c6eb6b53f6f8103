"""Reader of word vectors in the formats of GloVe, word2vec and fastText.

- GloVe: Pennington et al. 2014, https://nlp.stanford.edu/projects/glove/. Text.
- word2vec: Mikolov et al. 2013, https://code.google.com/archive/p/word2vec/. A header
  line with the numbers of words and of units, followed by text or binary numbers.
- fastText: Bojanowski et al. 2017, https://fasttext.cc. Text with the same header.
"""

import itertools
from pathlib import Path

import numpy as np

from dsa.config_section import parse_whole_number
from dsa.data.words.vector_formats import is_binary, is_header, open_vector_file
from dsa.errors import InputError
from dsa.system.terminal import show_progress

CHUNK = 2**20  # bytes per read of a binary file
LONGEST_WORD = 2**12  # bytes
FLOAT32 = np.dtype("<f4")


def read_vectors(path, units, words, frequent=0):
    """Reads the vectors of the given words and of the file's first `frequent` words.

    In text, a line is a word and `units` numbers, separated by single spaces or tabs.
    Lines are split from the right, since words of GloVe 840B contain spaces. A header
    line must contain the number of the following words, and `units`. The first of
    several vectors of the same word is used. A zip file must contain one file of
    vectors, or one whose name ends in `.<units>d.txt`.

    Args:
        path: a text file, or a file in word2vec's binary format; plain, gzipped or
            zipped.
        units: size of the vectors.
        words: words whose vectors are returned.
        frequent: number of words at the beginning of the file that are also returned.

    Returns: a dictionary of word to float32 array `(units,)`, in file order.

    Raises: `InputError` with file, line or word and reason for a damaged file, vectors
        of another size, a wrong number of words, or a malformed number; and for a file
        in another format, with the command that converts it.
    """
    path, words = Path(path), {word.encode() for word in words}
    if is_binary(path, units):
        return _read_binary_vectors(path, units, words, frequent)
    return _read_text_vectors(path, units, words, frequent)


def check_vector_size(path, units):
    """Checks the vector size of a file by its first line.

    Args:
        path, units: as in `read_vectors`.

    Raises: `InputError` as `read_vectors`.
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
    """Returns the first `count` words of a file. Invalid UTF-8 is replaced."""
    path = Path(path)
    if is_binary(path, units):
        words = (word for _, word, _ in _read_entries(path, units))
    else:
        words = (line.rsplit(b" ", units)[0] for _, line in _read_lines(path, units))
    return {word.decode(errors="replace") for word in itertools.islice(words, count)}


def iterate_binary_vectors(path, units):
    """Yields each word of a file in word2vec's binary format with its vector.

    A vector is a float32 array `(units,)`. The order is that of the file.

    Words that are not UTF-8, empty or contain a line feed are left out.

    Raises: `InputError` as `read_vectors`.
    """
    for _, word, values in _read_entries(Path(path), units):
        text = word.decode(errors="replace")
        if text and not {"\n", "\ufffd"} & set(text):
            yield text, np.frombuffer(values, FLOAT32)


def _read_text_vectors(path, units, words, frequent):
    """Returns vectors as `read_vectors`. `words` are bytes."""
    first_parts = {word.split(b" ", 1)[0] for word in words}
    vectors = {}
    for position, (number, line) in enumerate(_read_lines(path, units)):
        top = position < frequent
        if line.count(b" ") < units:
            _raise_short_line(line, number, path, units)
        if position and not top and line[: line.find(b" ")] not in first_parts:
            continue
        word, *numbers = line.rsplit(b" ", units)
        if position == 0:
            _check_units(word, path, units)
        if top or word in words:
            location = f"{path}, line {number}"
            _keep(vectors, word, _parse_numbers(numbers, location), location)
    return vectors


def _read_binary_vectors(path, units, words, frequent):
    """Returns vectors as `read_vectors`. `words` are bytes."""
    vectors = {}
    for number, word, values in _read_entries(path, units):
        if number <= frequent or word in words:
            location = f"{path}, word {number}"
            numbers = np.frombuffer(values, FLOAT32).astype(np.float32)
            _keep(vectors, word, numbers, location)
    return vectors


def _read_lines(path, units):
    """Yields `(number, line)` of a text file, without header and line ends."""
    number, stated = 0, None
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
    """Yields `(number, word, bytes of its vector)` of a file in word2vec's binary
    format, numbered from 1."""
    with open_vector_file(path, units) as (file, size, position):
        stated = _read_header(file.readline(), path, units)
        entries = _split_entries(file, path, units, stated)
        yield from show_progress(entries, f"reading {path.name}", size, position)


def _split_entries(file, path, units, count):
    """Yields `count` entries as `_read_entries`. An entry is a word, a space, and
    `units` float32 numbers, in some files followed by a line feed."""
    length, content, start = units * FLOAT32.itemsize, b"", 0
    for number in range(1, count + 1):
        if len(content) - start < LONGEST_WORD + length:
            content = content[start:] + file.read(CHUNK + LONGEST_WORD + length)
            start = 0
        space = content.find(b" ", start, start + LONGEST_WORD)
        end = space + 1 + length
        if space < 0 or end > len(content):
            raise InputError(
                f"{path}: the header states {count:,} words, but word {number:,} is "
                "incomplete. The file may be truncated"
            )
        yield number, content[start:space].lstrip(b"\n"), content[space + 1 : end]
        start = end
    if (content[start:] + file.read(CHUNK)).strip():
        raise InputError(f"{path}: the header states {count:,} words, but more follow")


def _parse_numbers(numbers, location):
    try:
        with np.errstate(over="ignore"):  # infinity is rejected by `_keep`
            values = np.array(numbers, dtype=np.float32)
    except ValueError as error:
        raise InputError(f"{location}: {error}") from error
    if b"_" in b"".join(numbers):  # NumPy reads 1_0 as 10
        raise InputError(f"{location}: '_' in a number")
    return values


def _keep(vectors, word, values, location):
    """Adds a vector unless the word has one, is empty or contains a line feed."""
    try:
        text = word.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{location}: not UTF-8: {error.reason}") from error
    if not np.isfinite(values).all():
        raise InputError(f"{location}: a number is not finite")
    if text and "\n" not in text:
        vectors.setdefault(text, values)


def _has_header(line, units):
    if units == 1 and line.split()[1:] != [b"1"]:
        return False  # a word of digits and its only number
    return is_header(line)


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
