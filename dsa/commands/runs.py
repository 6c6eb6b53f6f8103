"""List the runs below a folder: dev metric, steps, seed and state of each.

dsa runs
dsa runs runs/snli
"""

from dsa.commands.options import make_parser
from dsa.system.command_line import command
from dsa.system.terminal import show


@command(log_to_stderr=True)
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("folder", nargs="?", default="runs", help="default: runs")
    options = parser.parse_args(arguments)

    from dsa.sweeps.overview import list_runs

    show(list_runs(options.folder))


if __name__ == "__main__":
    raise SystemExit(main())
