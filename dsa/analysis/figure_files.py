"""Figures as files."""

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.analysis.style import in_style
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:  # Matplotlib would slow down every `--help`
    from matplotlib.figure import Figure

FORMATS = {  # without the date: the same figure, the same file
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
}
LEAST_DPI, MOST_DPI = 10, 600


@dataclasses.dataclass(frozen=True)
class FigureFiles:
    """How figures are written.

    Args:
        format: one of `FORMATS`.
        dpi: dots per inch; of a PDF and an SVG those of the maps in it.
    """

    format: str = "png"
    dpi: int = 100

    def name_file(self, name: str) -> str:
        """Returns the name of a figure's file."""
        return f"{name}.{self.format}"

    def write(self, figure: "Figure", folder: Path, name: str) -> Path:
        """Writes a figure and returns its path.

        Args:
            figure: the figure.
            folder: the folder; it must exist.
            name: the file's name without its ending.
        """
        path = folder / self.name_file(name)
        write_atomically(path, lambda file: self._save(figure, file))
        return path

    @in_style  # Matplotlib makes some of the ticks only now
    def _save(self, figure, file):
        figure.savefig(
            file, format=self.format, dpi=self.dpi, metadata=FORMATS[self.format]
        )


def add_figure_arguments(parser: argparse.ArgumentParser) -> None:
    """Gives a command that draws runs its options `--names`, `--format` and `--dpi`."""
    parser.add_argument(
        "--names", nargs="+", metavar="NAME", help="of the runs (their folders)"
    )
    add_file_arguments(parser)


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Gives a command that draws figures its options `--format` and `--dpi`."""
    parser.add_argument(
        "--format", choices=FORMATS, default=FigureFiles.format, help="of figures"
    )
    parser.add_argument(
        "--dpi",
        type=_dots,
        default=FigureFiles.dpi,
        metavar="N",
        help=f"dots per inch ({FigureFiles.dpi})",
    )


def _dots(text):
    if not (text.isdecimal() and LEAST_DPI <= int(text) <= MOST_DPI):
        raise argparse.ArgumentTypeError(
            f"a whole number from {LEAST_DPI} to {MOST_DPI} is needed, not {text!r}"
        )
    return int(text)
