"""Write the row hashes of a subset, which `dsa subset NAME` uses to recreate it.

    python tools/subset_hashes.py snli_40k FILE

FILE contains the subset, one row per line, optionally gzipped.
"""

import argparse
from pathlib import Path

import numpy as np

from dsa.data.corpora.files import read_lines
from dsa.data.corpora.subsets import SUBSETS
from dsa.data.download.subset_files import HASH_BYTES, HASHES, hash_key
from dsa.system.command_line import command


def hash_lines(name: str, path: str | Path) -> np.ndarray:
    """Returns the hashes of the lines of a file, `(lines, HASH_BYTES)`, uint8."""
    make_key = SUBSETS[name].make_key
    joined = b"".join(hash_key(make_key(line)) for _, line in read_lines(path))
    return np.frombuffer(joined, np.uint8).reshape(-1, HASH_BYTES)


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=SUBSETS)
    parser.add_argument("file", help="file with the subset")
    options = parser.parse_args(arguments)
    HASHES.mkdir(exist_ok=True)
    np.save(HASHES / f"{options.name}.npy", hash_lines(options.name, options.file))


if __name__ == "__main__":
    raise SystemExit(main())
