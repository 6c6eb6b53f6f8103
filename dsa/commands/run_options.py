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
        help="further runs; probabilities are averaged over all runs",
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
        parser: the parser, whose options `run`, `runs` and `others` are names of runs.
        arguments: the arguments of the command line.
        check: function that raises an error for conflicting options; `None` for none.
            It is called before the names are resolved, which may download a run.

    Returns: the options, see `find_runs`.
    """
    options = parser.parse_intermixed_args(arguments)
    if check is not None:
        check(options)
    return find_runs(options)


def find_runs(options: argparse.Namespace) -> argparse.Namespace:
    """Replaces the names of runs in the options by `RunFolder`s.

    A name is a folder, a release such as `mini`, or `hf://user/name[@revision]`, which
    is downloaded.

    Args:
        options: options with the names of runs in `run`, `runs` and `others`.

    Raises: `InputError` in the cases of `find_run_folder`.
    """
    from dsa.hub.fetching import find_run_folder

    for name in ("run", "runs", "others"):
        value = getattr(options, name, None)
        if isinstance(value, list):
            setattr(options, name, [find_run_folder(run) for run in value])
        elif value is not None:
            setattr(options, name, find_run_folder(value))
    return options
