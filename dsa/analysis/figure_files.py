"""Writes figure files, and adds options for their format to parsers."""

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.analysis.style import in_style
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:  # Matplotlib would slow down every `--help`
    from matplotlib.figure import Figure

# `{format: metadata}`; without a date, equal figures are equal files
FORMATS = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
}
MIN_DPI, MAX_DPI = 10, 600


@dataclasses.dataclass(frozen=True)
class FigureFiles:
    """Writes figures in one format.

    Args:
        format: file format, one of `FORMATS`.
        dpi: resolution in dots per inch. In PDF and SVG files, it only applies to
            attention maps.
    """

    format: str = "png"
    dpi: int = 100

    def make_file_name(self, name: str) -> str:
        """Returns the file name of a figure, such as "words.png"."""
        return f"{name}.{self.format}"

    def write(self, figure: "Figure", folder: Path, name: str) -> Path:
        """Writes a figure and returns its path.

        Args:
            figure: the figure.
            folder: an existing folder.
            name: file name without suffix.
        """
        path = folder / self.make_file_name(name)
        write_atomically(path, lambda file: self._save(figure, file))
        return path

    @in_style  # some ticks are created when the figure is saved
    def _save(self, figure, file):
        figure.savefig(
            file, format=self.format, dpi=self.dpi, metadata=FORMATS[self.format]
        )


def add_figure_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options `--names`, `--format` and `--dpi` to a parser."""
    parser.add_argument(
        "--names",
        nargs="+",
        metavar="NAME",
        help="names of the runs (default: different settings, else folders)",
    )
    add_file_arguments(parser)


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options `--format` and `--dpi` to a parser."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=FigureFiles.format,
        help="format of figures",
    )
    parser.add_argument(
        "--dpi",
        type=_parse_dpi,
        default=FigureFiles.dpi,
        metavar="N",
        help=f"dots per inch (default: {FigureFiles.dpi})",
    )


def _parse_dpi(text):
    """Converts the value of `--dpi` to an integer.

    Raises: `ArgumentTypeError` for a value outside `MIN_DPI` to `MAX_DPI`.
    """
    if not (text.isdecimal() and MIN_DPI <= int(text) <= MAX_DPI):
        raise argparse.ArgumentTypeError(
            f"must be an integer from {MIN_DPI} to {MAX_DPI}. Received: {text!r}"
        )
    return int(text)
