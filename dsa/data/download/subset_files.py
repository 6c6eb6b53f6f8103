"""Extracts subsets from public files by hashes of their lines.

`subsets/NAME.npy`, written by `tools/subset_hashes.py`, contains the hash of each line
of a subset, in the order of the subset. With the hashes, a subset is extracted from the
complete file, although the texts of the subset are not distributed.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dsa.data.corpora.files import find_file, read_lines
from dsa.data.corpora.subsets import SUBSETS
from dsa.data.words.vector_files import iterate_binary_vectors
from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically

HASHES = Path(__file__).parent / "subsets"
HASH_BYTES = 5  # 0.06 expected false matches for 550,000 lines and 118,369 hashes


def hash_key(key: str) -> bytes:
    """Returns the first `HASH_BYTES` bytes of the SHA-256 of a key."""
    return hashlib.sha256(key.encode()).digest()[:HASH_BYTES]


def write_subset(name: str, root: Path | str, force: bool = False) -> tuple[int, int]:
    """Extracts a subset from the complete file and writes the lines in the order of the
    subset.

    Args:
        name: a key of `SUBSETS`.
        root: the data root.
        force: whether to replace an existing file.

    Returns: the number of lines found and the number of lines of the subset.

    Raises: `InputError` if the complete file is missing or malformed or contains no
        line of the subset, or if the subset exists and `force` is false.
    """
    subset = SUBSETS[name]
    hashes = read_hashes(name)
    target = Path(root, subset.file)
    if target.exists() and not force:
        raise InputError(f"{target} exists. Use --force to replace it")
    source = find_file(root, subset.source)
    # positions of each hash in the subset, in reverse order
    positions: dict[bytes, list[int]] = {}
    for position in reversed(range(len(hashes))):
        positions.setdefault(hashes[position], []).append(position)
    selected: dict[int, str] = {}  # line by position in the subset
    if subset.word2vec_units is None:
        lines = read_lines(source)
    else:
        lines = _format_unit_vectors(source, subset.word2vec_units)
    for number, line in lines:
        try:
            remaining = positions.get(hash_key(subset.make_key(line)))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source}, line {number}: {error}") from error
        if remaining:
            selected[remaining.pop()] = line
    if not selected:
        raise InputError(
            f"{source}: the file contains no line of {name} ({subset.description})"
        )

    def write(temporary):
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(selected[position] + "\n" for position in sorted(selected))

    write_atomically(target, write)
    return len(selected), len(hashes)


def _format_unit_vectors(path: Path, units: int) -> Iterator[tuple[int, str]]:
    """Yields `(line number, line)` of the L2-normalized vectors of a word2vec binary
    file, in GloVe's text format. Zero vectors are skipped."""
    vectors = iterate_binary_vectors(path, units)
    for number, (word, vector) in enumerate(vectors, start=1):
        norm = np.linalg.norm(vector)
        if norm > 0:
            numbers = " ".join(f"{value:.6g}" for value in vector / norm)
            yield number, f"{word} {numbers}"


def read_hashes(name: str) -> list[bytes]:
    """Returns the hashes of the lines of a subset.

    Raises: `InputError` if the installation lacks the file with the hashes.
    """
    path = HASHES / f"{name}.npy"
    if not path.is_file():
        raise InputError(f"{path} is missing. Reinstall dsa")
    return [row.tobytes() for row in np.load(path, allow_pickle=False)]
