"""Write the subsets of public files on which the published results were trained.

    dsa download snli glove.6B
    dsa subset snli_40k glove_50d
    dsa subset --list

The runs in `docs/results.md` were trained on parts of SNLI and MultiNLI, with parts of
public vector files. The lines of a subset are selected by hashes of their texts and
written to the data root in the original order. Prints the number of lines found.
"""

from collections.abc import Sequence

from dsa.commands.options import add_data_root, add_force, make_parser
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.folders import data_root


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="see --list")
    parser.add_argument("--list", action="store_true", help="list all subsets")
    add_data_root(parser)
    add_force(parser)
    options = parser.parse_args(arguments)

    from dsa.data.corpora.subsets import SUBSETS
    from dsa.data.download.subset_files import write_subset

    if options.list and options.names:
        raise InputError("--list cannot be combined with NAME")
    if not options.names:
        for name, subset in SUBSETS.items():
            print(f"{name:13} {subset.description}; from {subset.source}")
        return
    unknown = [name for name in options.names if name not in SUBSETS]
    if unknown:
        raise InputError(
            f"unknown subset: {', '.join(unknown)}. Known: {', '.join(SUBSETS)}"
        )
    root = data_root(options.data_root)
    for name in options.names:
        written, total = write_subset(name, root, options.force)
        text = f"{root / SUBSETS[name].file}: {written:,} of {total:,} rows found"
        if written < total:
            text += f"; {total - written:,} are missing"
        print(text)
