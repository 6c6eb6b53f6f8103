"""Download a run from a Hugging Face hub into a folder.

    dsa pull maria/dsa-snli --out runs/maria
    dsa pull maria/dsa-snli@seed-14 --out runs/maria-14

Downloads only the files of the run. FOLDER is created after all files are checked.

All commands also accept `hf://USER/NAME[@REVISION]` instead of a run folder. The run is
then stored in the cache folder (DSA_CACHE). Private repositories require a token: set
it with `hf auth login` or HF_TOKEN. Set another hub with HF_ENDPOINT.
Requires the extra `hub`: in a checkout, pip install -e ".[hub]"
"""

from collections.abc import Sequence

from dsa.commands.options import make_parser
from dsa.system.command_line import command
from dsa.system.terminal import show


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument(
        "name",
        metavar="USER/NAME[@REVISION]",
        help="repository on the hub, and its branch, tag or commit (default: main)",
    )
    parser.add_argument(
        "--out", required=True, metavar="FOLDER", help="new folder for the run"
    )
    options = parser.parse_args(arguments)

    from dsa.hub.fetching import pull

    commit = pull(options.name, options.out)
    show(f"downloaded commit {commit} to {options.out}")
