"""Regenerate the tables of this repository's Markdown pages.

    python -m tools.docs_tables
    python -m tools.docs_tables README.md docs/results.md

Replaces the text between `<!-- table: NAME -->` and `<!-- end -->` by a table that is
generated from `results/` or from the code. The tables are declared in tables.yaml and
pages.py of this package. Default files: README.md and all pages of docs/ and results/.
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
        text = read_text(file)  # keeps its line ends
        write_atomically(file, fill_tables(text, CHECKOUT))


if __name__ == "__main__":
    raise SystemExit(main())
