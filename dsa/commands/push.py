"""Upload a run to a Hugging Face hub: model, evaluations and model card.

    dsa push runs/snli/dsa/seed-13 maria/dsa-snli --dry-run
    dsa push runs/snli/dsa/seed-13 maria/dsa-snli --private
    dsa push runs/snli/dsa/seed-14 maria/dsa-snli --revision seed-14

Prints the files and their sizes before the upload; with --dry-run, nothing is uploaded.
The training state, the log and the figures are never uploaded. A missing repository or
branch is created. The upload is a single commit that replaces all files of an earlier
run on the branch.

Set the token with `hf auth login` or HF_TOKEN, and another hub with HF_ENDPOINT.
Requires the extra `hub`: in a checkout, pip install -e ".[hub]"
"""

from collections.abc import Sequence

from dsa.commands.options import make_parser
from dsa.commands.run_options import RUN_HELP, find_runs
from dsa.hub.repository import DEFAULT_BRANCH
from dsa.system.command_line import command
from dsa.system.terminal import show


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", help=RUN_HELP)
    parser.add_argument("name", metavar="USER/NAME", help="repository on the hub")
    parser.add_argument(
        "--private", action="store_true", help="create a private repository"
    )
    parser.add_argument(
        "--revision", default=DEFAULT_BRANCH, help="branch (default: main)"
    )
    parser.add_argument(
        "--licence",
        metavar="ID",
        help="licence on the model card, such as apache-2.0 (default: none)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="list the files without uploading"
    )
    options = find_runs(parser.parse_args(arguments))

    from dsa.hub.upload import push

    published = push(
        options.run,
        options.name,
        options.revision,
        options.private,
        options.licence,
        options.dry_run,
        show,
    )
    if published:
        show(f'Load the run with dsa.load("hf://{published}")')
