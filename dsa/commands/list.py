"""List what there is: releases, downloads, runs and config files, each as a table.

    dsa list
    dsa list --runs /elsewhere/runs --configs configs/snli
    dsa list runs runs/snli
    dsa list runs runs/snli --csv > runs.csv
    dsa list configs configs/snli

A release has the sizes of its file in the package and of its run in the cache, a
download the size of its files, a run its dev metric, steps, seed and state, a config
file its model, corpus and paper. `dsa runs` and `dsa configs` are short names of the
last two. As CSV, a run also has what --set was given, the seconds of its training, the
date of its evaluation on dev, its last number on test, and how often it was evaluated
there.
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
        "what", nargs="?", choices=["runs", "configs"], help="only these"
    )
    parser.add_argument("folder", nargs="?", help="of these (runs, configs)")
    parser.add_argument("--runs", default="runs", help="folder of runs (runs)")
    parser.add_argument("--configs", default="configs", help="folder (configs)")
    parser.add_argument("--csv", action="store_true", help="runs as CSV")
    options = parser.parse_args(arguments)
    if options.csv and options.what != "runs":
        raise InputError("--csv is for runs: `dsa runs --csv`")

    from dsa.sweeps.overview import (
        list_configs,
        list_everything,
        list_runs,
        list_runs_as_csv,
    )

    if options.csv:
        show(list_runs_as_csv(options.folder or options.runs).removesuffix("\n"))
    elif options.what == "runs":
        show(list_runs(options.folder or options.runs))
    elif options.what == "configs":
        show(list_configs(options.folder or options.configs))
    else:
        show(list_everything(options.runs, options.configs))
