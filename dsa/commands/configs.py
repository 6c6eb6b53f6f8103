"""List the config files, with the model, the corpus and the paper of each.

dsa configs
dsa configs configs/snli
"""

from dsa.commands.options import make_parser
from dsa.system.command_line import command
from dsa.system.terminal import show


@command(log_to_stderr=True)
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("folder", nargs="?", default="configs", help="default: configs")
    options = parser.parse_args(arguments)

    from dsa.sweeps.overview import list_configs

    show(list_configs(options.folder))


if __name__ == "__main__":
    raise SystemExit(main())
