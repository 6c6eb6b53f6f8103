"""Options that several commands share."""

import argparse
from pathlib import Path


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Returns the parser of a command, whose docstring is printed as it is written."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_data_root(parser: argparse.ArgumentParser) -> None:
    """Adds `--data-root`."""
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")


def add_data_and_vectors(parser: argparse.ArgumentParser) -> None:
    """Adds `--data-root` and `--vectors`, for words that a run lacks."""
    add_data_root(parser)
    parser.add_argument("--vectors", help="vector file for words that a run lacks")


def add_set(parser: argparse.ArgumentParser) -> None:
    """Adds `--set`, which can be given several times."""
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="override settings of the config",
    )


def add_force(parser: argparse.ArgumentParser) -> None:
    """Adds `--force`."""
    parser.add_argument(
        "--force", action="store_true", help="replace files that are there already"
    )


def add_out(parser: argparse.ArgumentParser, help: str) -> None:
    """Adds `--out`, a folder, and `--force`, for `choose_output`."""
    parser.add_argument("--out", type=Path, metavar="DIR", help=help)
    add_force(parser)
