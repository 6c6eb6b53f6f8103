"""Download corpora and word vectors into the data root.

    dsa download snli glove.840B.300d
    dsa download --list

Each file is checked against its published SHA-256. If none is published, the SHA-256 of
the first download is recorded in downloads.json in the data root, and later downloads
are checked against it. If the official server does not respond, mirrors of the same
file are used.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from dsa.commands.options import make_parser
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.folders import data_root

if TYPE_CHECKING:
    from dsa.data.corpora.corpus import Download


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="see --list")
    parser.add_argument("--list", action="store_true", help="list all downloads")
    parser.add_argument(
        "--data-root", help="folder to download into (default: DSA_DATA, else data/)"
    )
    options = parser.parse_args(arguments)

    from dsa.data.corpora.catalogue import DOWNLOADS
    from dsa.data.corpora.subsets import SUBSETS
    from dsa.data.download.download import download

    if options.list and options.names:
        raise InputError("--list cannot be combined with NAME")
    if not options.names:
        _print_downloads(DOWNLOADS.values())
        return
    unknown = [name for name in options.names if name not in DOWNLOADS]
    subsets = [name for name in unknown if name in SUBSETS]
    if subsets:
        name = subsets[0]
        raise InputError(
            f"'{name}' is a subset of a local file. To create it: dsa subset {name}"
        )
    if unknown:
        raise InputError(
            f"unknown download: {', '.join(unknown)}. Known: {', '.join(DOWNLOADS)}"
        )
    root = data_root(options.data_root)
    for name in options.names:
        if DOWNLOADS[name].by_hand:
            print(DOWNLOADS[name].by_hand)
            continue
        for path in download(name, root):
            print(path)


def _print_downloads(downloads: Collection["Download"]) -> None:
    """Prints the automatic downloads, then the manual downloads."""
    for item in downloads:
        if item.files:
            print(f"{item.name:23} {item.describe_size():>11}  {item.licence}")
    for item in downloads:
        if item.by_hand:
            print(f"{item.name:23}              by hand, see dsa download {item.name}")
