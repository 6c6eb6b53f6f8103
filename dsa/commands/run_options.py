"""Options of commands that load runs."""

import argparse
from collections.abc import Callable, Sequence


def add_members(parser: argparse.ArgumentParser) -> None:
    """Adds `--with`, for commands that average the probabilities of several runs."""
    parser.add_argument(
        "--with",
        nargs="+",
        dest="others",
        default=[],
        metavar="RUN",
        help="other runs; probabilities are averaged over all runs",
    )


def add_runtime(parser: argparse.ArgumentParser) -> None:
    """Adds `--runtime`, for commands that predict."""
    parser.add_argument(
        "--runtime",
        choices=("auto", "keras", "onnx"),
        default="auto",
        help="auto: onnxruntime if the run has an ONNX export (releases, or `dsa "
        "export RUN --in-run`), else Keras",
    )


def parse_options(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    check: Callable[[argparse.Namespace], None] | None = None,
) -> argparse.Namespace:
    """Parses the options of a command that loads runs.

    Args:
        parser: parser whose options `run`, `runs` and `others` are names of runs.
        arguments: command line arguments; `None` for `sys.argv`.
        check: function that raises an error if options conflict, or `None`. It is
            called before the runs are searched, which may download a run.

    Returns: the options with `RunFolder`s, see `find_runs`.
    """
    options = parser.parse_intermixed_args(arguments)
    if check is not None:
        check(options)
    return find_runs(options)


def find_runs(options: argparse.Namespace) -> argparse.Namespace:
    """Replaces the names of runs in the options by `RunFolder`s, in place.

    A name is a folder, a release such as `mini`, or `hf://user/name[@revision]`, which
    is downloaded.

    Args:
        options: options with the names of runs in `run`, `runs` and `others`.

    Returns: the options.

    Raises: `InputError` if a run is not found, see `find_run_folder`.
    """
    from dsa.hub.fetching import find_run_folder

    for name in ("run", "runs", "others"):
        value = getattr(options, name, None)
        if isinstance(value, list):
            runs = [find_run_folder(run_name) for run_name in value]
            setattr(options, name, runs)
        elif value is not None:
            setattr(options, name, find_run_folder(value))
    return options
