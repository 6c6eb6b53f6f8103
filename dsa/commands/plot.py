"""Plot the learning curves of runs.

    dsa plot RUN RUN
    dsa plot RUN RUN --metric loss --over seconds
    dsa plot RUN RUN --out curves.pdf --names DSA DiSAN

Prints the curves as text, or writes a figure to --out (.png, .pdf or .svg). A metric is
a column of history.csv: loss and accuracy in training, val_loss and val_accuracy on
dev, learning_rate, and others. Seconds are the time of training steps, without
evaluations. Unfinished runs can also be plotted.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from dsa.analysis.figure_files import FORMATS, FigureFiles, add_figure_arguments
from dsa.commands.options import add_force, make_parser
from dsa.commands.run_options import RUNS_HELP, find_runs
from dsa.errors import InputError
from dsa.runs.run_records import X_AXES
from dsa.system.command_line import command
from dsa.system.terminal import show

MIN_WIDTH, MAX_WIDTH = 40, 120  # characters per line


@command(log_to_stderr=True)
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help=RUNS_HELP)
    parser.add_argument(
        "--metric",
        metavar="NAME",
        help="column of history.csv (default: the dev metric)",
    )
    parser.add_argument("--over", choices=X_AXES, default="steps", help="x axis")
    parser.add_argument("--out", metavar="FILE", help="write a figure")
    add_force(parser)
    add_figure_arguments(parser)
    parser.set_defaults(format=None)
    options = parser.parse_args(arguments)

    from dsa.evaluation.curve_runs import read_curves
    from dsa.runs.outputs import check_output

    has_figure_options = options.format or options.dpi != FigureFiles.dpi
    if options.out is None and (has_figure_options or options.force):
        raise InputError("--format, --dpi and --force require --out")
    if options.out is not None:
        out = _parse_path(options.out)
        name, files = _choose_format(out, options.format, options.dpi)
        check_output(out.parent / files.make_file_name(name), options.force)
    find_runs(options)
    curves = read_curves(options.runs, options.names, options.metric, options.over)
    if options.out is not None:
        show(f"written to {files.write(curves.draw(), out.parent, name)}")
        return
    columns = shutil.get_terminal_size().columns
    show(curves.write(min(max(columns, MIN_WIDTH), MAX_WIDTH)))


def _parse_path(text: str) -> Path:
    """Converts `--out` to the path of a figure.

    Raises: `InputError` if the text is empty or is the path of a folder.
    """
    path = Path(text)
    if not path.name or path.is_dir():
        raise InputError(f"--out must be the name of a file. Received: '{text}'")
    return path


def _choose_format(
    path: Path, figure_format: str | None, dpi: int
) -> tuple[str, FigureFiles]:
    """Returns the file name of a figure without suffix, and its `FigureFiles`.

    Args:
        path: path of the figure.
        figure_format: value of --format, or `None`.
        dpi: resolution of the figure in dots per inch.

    Raises: `InputError` if the suffix of the path is unknown or differs from --format.
    """
    suffix = path.suffix.removeprefix(".").lower()
    if suffix and figure_format is None and suffix not in FORMATS:
        raise InputError(
            f"--out must end with .png, .pdf or .svg. Received: {path}. --format adds "
            "a suffix"
        )
    if suffix not in FORMATS:
        return path.name, FigureFiles(figure_format or "png", dpi)
    if figure_format not in (None, suffix):
        raise InputError(
            f"--format {figure_format} and --out {path} have different formats"
        )
    return path.stem, FigureFiles(suffix, dpi)
