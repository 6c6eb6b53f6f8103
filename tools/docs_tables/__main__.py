"""Write the tables of this repository's Markdown pages again.

    python -m tools.docs_tables
    python -m tools.docs_tables README.md docs/results.md

Replaces what is between `<!-- table: models -->` (or another name of
`tools.docs_tables.pages.TABLES`) and `<!-- end -->`, from what is under `results/` and
from the code. Without files: in README.md, in `docs/` and in `results/`.
"""

import argparse
from pathlib import Path

from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.reading import read_text
from tools.docs_tables.pages import fill_tables, find_pages

CHECKOUT = Path(__file__).resolve().parents[2]


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="Markdown files")
    for file in parser.parse_args(arguments).files or find_pages(CHECKOUT):
        text = read_text(file)  # with its ends of lines
        write_atomically(file, fill_tables(text, CHECKOUT))


if __name__ == "__main__":
    raise SystemExit(main())
