"""Subsets of public files, picked by hashes of their lines.

The hashes of a subset's lines, in its own order, are in `subsets/NAME.npy`
(`tools/subset_hashes.py` writes it). So it can be picked again from the whole file,
although the texts are no part of this package.
"""

import hashlib
from pathlib import Path

import numpy as np

from dsa.data.corpora.files import find_file, read_lines
from dsa.data.corpora.subsets import SUBSETS
from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically

HASHES = Path(__file__).parent / "subsets"
HASH_BYTES = 5  # 550,000 lines and 118,369 hashes: 0.06 wrong matches are expected


def hash_key(key: str) -> bytes:
    """Returns the first bytes of the SHA-256 of a key."""
    return hashlib.sha256(key.encode()).digest()[:HASH_BYTES]


def write_subset(name: str, root: Path | str, force: bool = False) -> tuple[int, int]:
    """Picks a subset from the whole file and writes it, in its own order.

    Args:
        name: a key of `SUBSETS`.
        root: the data root.
        force: whether a file that is there is replaced.

    Returns: how many of its lines were found, and how many it has.

    Raises: `InputError` if the whole file is missing or malformed, has none of the
        lines, or the subset is there already.
    """
    subset, hashes = SUBSETS[name], read_hashes(name)
    target = Path(root, subset.file)
    if target.exists() and not force:
        raise InputError(f"{target} is there already; --force replaces it")
    source = find_file(root, subset.source)
    places: dict[bytes, list[int]] = {}
    for place in reversed(range(len(hashes))):
        places.setdefault(hashes[place], []).append(place)
    found: dict[int, str] = {}
    for number, line in read_lines(source):
        try:
            free = places.get(hash_key(subset.make_key(line)))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source}, line {number}: {error}") from error
        if free:
            found[free.pop()] = line
    if not found:
        raise InputError(f"{source}: has no line of {name} ({subset.what})")

    def write(temporary):
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(found[place] + "\n" for place in sorted(found))

    write_atomically(target, write)
    return len(found), len(hashes)


def read_hashes(name: str) -> list[bytes]:
    """Returns the hashes of a subset's lines.

    Raises: `InputError` if the package was installed without them.
    """
    path = HASHES / f"{name}.npy"
    if not path.is_file():
        raise InputError(f"{path}: missing. Install dsa again")
    return [row.tobytes() for row in np.load(path, allow_pickle=False)]
