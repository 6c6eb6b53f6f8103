"""Write a package for a new model, with encoder, settings, config and tests.

    dsa new-paper my_model
    pip install --editable my_model
    dsa train my_model/my_model.yaml
    pytest my_model

`pyproject.toml` registers the model as an entry point of `dsa.models`. After the
installation, every command can use it. Replace the equation in the encoder and in its
test by the equation of the paper.
"""

from collections.abc import Sequence

from dsa.commands.options import make_parser
from dsa.system.command_line import command


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("name", metavar="NAME", help="name of the model (`model.name`)")
    parser.add_argument("--out", metavar="DIR", help="new folder (default: NAME)")
    options = parser.parse_args(arguments)

    from dsa.papers.new_paper import write_new_paper

    for path in write_new_paper(options.name, options.out or options.name):
        print(path)
    print(f"next: pip install --editable {options.out or options.name}")
