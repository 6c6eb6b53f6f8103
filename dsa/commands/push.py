"""Publish a run on a Hugging Face hub: its model, its evaluations and a card.

    dsa push runs/snli/dsa/seed-13 maria/dsa-snli --dry-run
    dsa push runs/snli/dsa/seed-13 maria/dsa-snli --private
    dsa push runs/snli/dsa/seed-14 maria/dsa-snli --revision seed-14

Prints the files and their sizes first; --dry-run stops there. The state of training,
the log and figures are not uploaded. The repository and the branch are made if they are
not there. What an earlier run has left in the branch is replaced, in one commit.

The token is the one of `hf auth login`, or HF_TOKEN. HF_ENDPOINT names another hub.
Needs the extra `hub`: pip install ".[hub]"
"""

from dsa.commands.options import make_parser
from dsa.hub.repository import MAIN
from dsa.system.command_line import command
from dsa.system.terminal import show


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("run", help="run folder")
    parser.add_argument("name", metavar="USER/NAME", help="of the repository")
    parser.add_argument(
        "--private", action="store_true", help="nobody else can read the repository"
    )
    parser.add_argument("--revision", default=MAIN, help="the branch (main)")
    parser.add_argument(
        "--licence",
        metavar="ID",
        help="of the model, for its card, such as apache-2.0 (none)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what would be uploaded"
    )
    options = parser.parse_args(arguments)

    from dsa.hub.upload import Target, push

    target = Target(options.name, options.revision, options.private, options.licence)
    commit = push(options.run, target, show, options.dry_run)
    if commit:
        show(f'dsa.load("hf://{target.repository.name}@{commit}") loads it')


if __name__ == "__main__":
    raise SystemExit(main())
