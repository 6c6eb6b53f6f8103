"""The files of a WordNet: read whole and checked once, before NLTK reads parts of them.

NLTK looks a synset up by its place in a file when a word needs it. In a file that was
cut, or whose line ends were changed, it would fail there, hours later.

    data.noun   00001740 03 n 01 entity 0 003 ~ 00001930 n 0000 ... | that which is ...
    index.noun  entity n 1 1 ~ 1 1 00001740

Reference: the manual page wndb(5).
"""

import hashlib
import re
from pathlib import Path

from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically
from dsa.system.folders import cache_folder
from dsa.system.reading import fingerprint, open_regular

PARTS = {"noun": b"n", "verb": b"v", "adj": b"a", "adv": b"r"}
SATELLITE = b"s"  # an adjective's synset beside another one
MARKER = re.compile(rb"\((a|p|ip)\)$")  # of an adjective: where in a sentence it stands
CHECKED = "wordnet"  # below the cache folder: an empty file for each that was checked


def check_wordnet(folder: Path) -> None:
    """Checks all files of a WordNet that are read. One that was checked before, and
    whose files are the same, is not read again.

    Raises: `InputError` with file, line and what is wrong, `OSError` for a file that is
        not there.
    """
    paths = [folder / f"{kind}.{part}" for part in PARTS for kind in ("data", "index")]
    paths += [folder / f"{part}.exc" for part in PARTS]
    digests = "".join(fingerprint(path) for path in paths)
    checked = cache_folder() / CHECKED / hashlib.sha256(digests.encode()).hexdigest()
    if checked.exists():
        return
    synsets = {letter: {} for letter in PARTS.values()}
    pointers = {}
    for part, letter in PARTS.items():
        _read_data(folder / f"data.{part}", letter, synsets[letter], pointers)
    for (letter, offset, word), place in pointers.items():
        words = synsets.get(letter, {}).get(offset)
        if words is None or word > len(words):
            raise InputError(f"{place}: a pointer to no synset or word: {offset}")
    for part, letter in PARTS.items():
        _read_index(folder / f"index.{part}", synsets[letter])
        for place, line in _read_lines(folder / f"{part}.exc"):
            if line.strip() and len(line.split()) < 2:
                raise InputError(f"{place}: a word and its base are needed")
    checked.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(checked, "")


def _read_data(path, letter, synsets, pointers):
    """Adds the synsets of a file, `{offset: words}`, and what they point to, `{(letter,
    offset, number of the word): the first place that does}`."""
    kinds = {letter, SATELLITE} if letter == b"a" else {letter}
    position = 0
    for place, line in _read_lines(path):
        if not line.startswith(b"  "):  # the licence does
            try:
                offset, words = _read_synset(line, kinds, place, pointers)
            except (ValueError, IndexError) as error:
                raise InputError(f"{place}: no synset: {error}") from error
            if offset != position:
                raise InputError(
                    f"{place}: the synset {offset:08} stands at byte {position}: bytes "
                    "before it are missing or new, such as other line ends"
                )
            synsets[offset] = words
        position += len(line) + 1


def _read_synset(line, kinds, place, pointers):
    """The offset and the words of a line; notes its pointers.

    Raises: `ValueError` or `IndexError` for a line of another form.
    """
    head, bar, gloss = line.partition(b" | ")
    gloss.decode()
    fields = head.split(b" ")
    end = 4 + 2 * int(fields[3], 16)
    count = int(fields[end])
    last = end + 1 + 4 * count
    if not bar or fields[2] not in kinds or len(fields) < last or int(fields[1]) > 44:
        raise ValueError("its parts are not as many as it says")
    words = [_strip(word) for word in fields[4:end:2]]
    if not words:
        raise ValueError("it has no word")
    for begin in range(end + 1, last, 4):
        symbol, offset, letter, ends = fields[begin : begin + 4]
        if int(ends[:2], 16) > len(words) or not symbol:
            raise ValueError("a pointer begins at no word")
        letter = b"a" if letter == SATELLITE else letter
        pointers.setdefault((letter, int(offset), int(ends[2:], 16)), place)
    return int(fields[0]), words


def _strip(word):
    """A word as the index has it."""
    word.decode()
    return MARKER.sub(b"", word).lower()


def _read_index(path, synsets):
    """Compares an index with its synsets: both know the same."""
    listed = set()
    for place, line in _read_lines(path):
        if line.startswith(b" "):
            continue
        try:
            word, _, count, symbols, *others = line.split()
            offsets = list(map(int, others[int(symbols) + 2 :]))
            if not len(offsets) == int(count) == int(others[int(symbols)]):
                raise ValueError("its synsets are not as many as it says")
        except (ValueError, IndexError) as error:
            raise InputError(f"{place}: no entry: {error}") from error
        for offset in offsets:
            if offset not in synsets:
                raise InputError(f"{place}: no synset stands at byte {offset}")
            listed.add((word, offset))
    for offset, words in synsets.items():
        if (words[0], offset) not in listed:
            raise InputError(f"{path}: lacks '{words[0].decode()}', synset {offset:08}")


def _read_lines(path):
    """Yields the place and the bytes of each line.

    Raises: `InputError` for a last line without an end, which was cut.
    """
    with open_regular(path) as file:
        *lines, rest = file.read().split(b"\n")
    if rest:
        raise InputError(f"{path}: cut: its last line has no end")
    for number, line in enumerate(lines, start=1):
        yield f"{path}, line {number}", line
