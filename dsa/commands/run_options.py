"""The runs that a command is given: from their names to their folders."""

import argparse
from collections.abc import Callable, Sequence


def add_members(parser: argparse.ArgumentParser) -> None:
    """Adds `--with`, for a command that takes the mean of several runs."""
    parser.add_argument(
        "--with",
        nargs="+",
        dest="others",
        default=[],
        metavar="RUN",
        help="further runs; probabilities are averaged over all runs",
    )


def add_runtime(parser: argparse.ArgumentParser) -> None:
    """Adds `--runtime`, for a command that answers without training."""
    parser.add_argument(
        "--runtime",
        choices=("auto", "keras", "onnx"),
        default="auto",
        help="what computes; auto: the run's ONNX form where `dsa export RUN --in-run` "
        "has written it and onnxruntime is installed, else Keras",
    )


def parse_options(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    check: Callable[[argparse.Namespace], None] | None = None,
) -> argparse.Namespace:
    """Parses the options of a command that loads runs.

    Args:
        parser: its parser; the names of its runs are `run`, `runs` and `others`.
        arguments: of the command line.
        check: raises an error for options that do not fit together, before a name is
            resolved, which can download a run.

    Returns: the options, see `find_runs`.
    """
    options = parser.parse_intermixed_args(arguments)
    if check is not None:
        check(options)
    return find_runs(options)


def find_runs(options: argparse.Namespace) -> argparse.Namespace:
    """Replaces each name of a run in the options by its `RunFolder`: a folder, a
    release such as `mini`, or `hf://user/name[@revision]`, which is downloaded.

    Args:
        options: the names are `run`, or the lists `runs` and `others`.

    Raises: `InputError` as `find_run`.
    """
    from dsa.hub.fetching import find_run_folder

    for name in ("run", "runs", "others"):
        value = getattr(options, name, None)
        if isinstance(value, list):
            setattr(options, name, [find_run_folder(run) for run in value])
        elif value is not None:
            setattr(options, name, find_run_folder(value))
    return options
