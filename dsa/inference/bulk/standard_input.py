"""Standard input, kept in a file: jobs begin at any row of it, and several times."""

import shutil
import sys
from pathlib import Path

from dsa.errors import InputError
from dsa.inference.bulk.input_rows import guess_suffix
from dsa.inference.bulk.results import CHUNK

STANDARD_INPUT = "standard input"  # what errors call it


def keep_standard_input(folder, named):
    """Write standard input to a file, in constant memory.

    Args:
        folder: where the file goes.
        named: whether the user names its columns.

    Returns: its path; the suffix tells its form.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed")
    for left in Path(folder).glob("input.*"):
        left.unlink()
    with open(sys.stdin.fileno(), "rb", closefd=False) as file:
        first = file.read(CHUNK)
        path = Path(folder, f"input{guess_suffix(first, named)}")
        with open(path, "wb") as kept:
            kept.write(first)
            shutil.copyfileobj(file, kept, CHUNK)
    return path
