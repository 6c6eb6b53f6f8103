"""List what there is: releases, runs and config files, each as a table.

    dsa list
    dsa list --runs /elsewhere/runs --configs configs/snli

The parts by themselves: dsa runs, dsa configs.
"""

from dsa.commands.options import make_parser
from dsa.system.command_line import command


@command(log_to_stderr=True)
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("--runs", default="runs", help="folder of runs (runs)")
    parser.add_argument("--configs", default="configs", help="folder (configs)")
    options = parser.parse_args(arguments)

    from dsa.sweeps.overview import list_everything

    print(list_everything(options.runs, options.configs))


if __name__ == "__main__":
    raise SystemExit(main())
