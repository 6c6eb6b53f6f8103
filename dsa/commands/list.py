"""List releases, downloads, runs and config files as tables.

    dsa list
    dsa list --runs /elsewhere/runs --configs configs/snli
    dsa list runs runs/snli
    dsa list runs runs/snli --csv > runs.csv
    dsa list configs configs/snli

The tables contain the size of each release (of the file and in the cache) and of each
download; the dev metric, steps, seed and state of each run; and the model, corpus and
paper of each config. Releases are bundled with the package or are files in the folder
DSA_RELEASES. `dsa runs` and `dsa configs` are short for `dsa list runs` and `dsa list
configs`.

--csv prints the runs with more columns: the overrides (--set), the training time in
seconds, the date of the evaluation on dev, the latest metric on test, and the number of
evaluations on test.
"""

from collections.abc import Sequence

from dsa.commands.options import make_parser
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.terminal import show


@command(log_to_stderr=True)
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument(
        "kind",
        nargs="?",
        choices=["runs", "configs"],
        help="list only runs or only configs",
    )
    parser.add_argument(
        "folder", nargs="?", help="folder to search (default: runs or configs)"
    )
    parser.add_argument("--runs", default="runs", help="folder of runs (default: runs)")
    parser.add_argument(
        "--configs", default="configs", help="folder of configs (default: configs)"
    )
    parser.add_argument("--csv", action="store_true", help="print runs as CSV")
    options = parser.parse_args(arguments)
    if options.csv and options.kind != "runs":
        raise InputError("--csv requires runs: `dsa runs --csv`")

    from dsa.sweeps.overview import (
        list_configs,
        list_everything,
        list_runs,
        list_runs_as_csv,
    )

    if options.csv:
        show(list_runs_as_csv(options.folder or options.runs).removesuffix("\n"))
    elif options.kind == "runs":
        show(list_runs(options.folder or options.runs))
    elif options.kind == "configs":
        show(list_configs(options.folder or options.configs))
    else:
        show(list_everything(options.runs, options.configs))
