"""Options shared by several commands."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Returns the argument parser of a command, whose `--help` prints the description
    with its line breaks."""
    return _Parser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


class _Parser(argparse.ArgumentParser):
    """Argument parser that accepts positional arguments after `--set KEY=VALUE ...`."""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace=None):
        arguments = sys.argv[1:] if args is None else args
        return super().parse_known_args(list(_repeat_set(arguments)), namespace)


def _repeat_set(arguments: Iterable[str]) -> Iterator[str]:
    """Yields the arguments with `--set` before each setting.

    For example, `--set a=1 b=2 CONFIG` becomes `--set a=1 --set b=2 CONFIG`. The first
    argument without `=`, or with a leading `-`, ends the list of settings.
    """
    in_settings = False
    previous = ""
    for argument in arguments:
        if argument == "--set":
            in_settings = True
        elif "=" not in argument or argument.startswith("-"):
            in_settings = in_settings and previous == "--set"
        elif in_settings and previous != "--set":
            yield "--set"
        yield argument
        previous = argument


def add_data_root(parser: argparse.ArgumentParser) -> None:
    """Adds `--data-root`."""
    parser.add_argument(
        "--data-root", help="folder of the corpora (default: DSA_DATA, else data/)"
    )


def add_data_and_vectors(parser: argparse.ArgumentParser) -> None:
    """Adds `--data-root` and `--vectors`."""
    add_data_root(parser)
    parser.add_argument("--vectors", help="vector file for unknown words")


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Adds `--columns`."""
    parser.add_argument(
        "--columns",
        nargs="+",
        default=(),
        metavar="INPUT=COLUMN",
        help="columns of a CSV, TSV, JSON lines or Parquet file",
    )


def add_set(parser: argparse.ArgumentParser) -> None:
    """Adds `--set`, which takes one or more settings and can be repeated."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE ...",
        help="override settings of the config",
    )


def add_force(parser: argparse.ArgumentParser) -> None:
    """Adds `--force`."""
    parser.add_argument("--force", action="store_true", help="replace existing files")


def add_out(parser: argparse.ArgumentParser, help: str) -> None:
    """Adds `--out` for an output folder, and `--force`."""
    parser.add_argument("--out", type=Path, metavar="DIR", help=help)
    add_force(parser)
