"""Write the result tables of a Markdown file again from what is under results/.

    dsa report README.md

Replaces what is between `<!-- table: snli -->` (or another one of
`dsa.papers.readme_tables.TABLES`) and `<!-- end -->`.
"""

from pathlib import Path

from dsa.commands.options import make_parser
from dsa.papers.readme_tables import fill_tables
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.folders import find_checkout
from dsa.system.reading import read_text

CHECKOUT = find_checkout()


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("file", type=Path, help="Markdown file")
    options = parser.parse_args(arguments)
    text = read_text(options.file)  # with its ends of lines
    write_atomically(options.file, fill_tables(text, CHECKOUT))


if __name__ == "__main__":
    raise SystemExit(main())
