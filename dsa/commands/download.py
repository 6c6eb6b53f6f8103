"""Download corpora and word vectors into the data root.

    dsa download snli glove.840B.300d
    dsa download --list

Each file is checked against a SHA-256 from a public source. If none is known, the
SHA-256 of the first download is recorded in downloads.json in the data root. If the
official server does not answer, mirrors that have the same file are tried.
"""

from dsa.commands.options import make_parser
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.folders import data_root


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="see --list")
    parser.add_argument("--list", action="store_true", help="list all downloads")
    parser.add_argument("--data-root", help="folder to download into (DSA_DATA, data/)")
    options = parser.parse_args(arguments)

    from dsa.data.corpora.catalogue import DOWNLOADS
    from dsa.data.corpora.subsets import SUBSETS
    from dsa.data.download.download import download

    if options.list and options.names:
        raise InputError("--list takes no NAME: it lists all")
    if not options.names:
        _list_all(DOWNLOADS.values())
        return
    unknown = [name for name in options.names if name not in DOWNLOADS]
    if picked := [name for name in unknown if name in SUBSETS]:
        raise InputError(
            f"{picked[0]} is picked from a file that is at hand: dsa subset {picked[0]}"
        )
    if unknown:
        raise InputError(
            f"unknown: {', '.join(unknown)}. Known: {', '.join(DOWNLOADS)}"
        )
    root = data_root(options.data_root)
    for name in options.names:
        if DOWNLOADS[name].by_hand:
            print(DOWNLOADS[name].by_hand)
            continue
        for path in download(name, root):
            print(path)


def _list_all(downloads):
    for known in downloads:
        if known.files:
            print(f"{known.name:23} {known.describe_size():>11}  {known.licence}")
    for known in downloads:
        if known.by_hand:
            print(
                f"{known.name:23}              by hand, see dsa download {known.name}"
            )
