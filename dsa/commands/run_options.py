"""Options of commands that load runs."""

import argparse
from collections.abc import Sequence

RUN_HELP = "run folder, release name or hf://USER/NAME"
RUNS_HELP = "run folders, release names or hf://USER/NAME"
TWO_RUNS_HELP = "one or two " + RUNS_HELP


def add_members(parser: argparse.ArgumentParser) -> None:
    """Adds `--with`, for commands that average the probabilities over several runs."""
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
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> argparse.Namespace:
    """Parses the options of a command that loads runs.

    A command that checks its options calls `parse_intermixed_args`, its check, and
    `find_runs` instead, because `find_runs` may download a run.

    Args:
        parser: parser whose options `run`, `runs` and `others` contain names of runs.
        arguments: command line arguments; `None` for `sys.argv`.

    Returns: the options with `RunFolder`s, see `find_runs`.
    """
    return find_runs(parser.parse_intermixed_args(arguments))


def find_runs(options: argparse.Namespace) -> argparse.Namespace:
    """Replaces the names of runs in `options` by `RunFolder`s, in place.

    Args:
        options: parsed options. `run`, `runs` and `others`, if present, contain names
            of runs: a folder, a release such as `mini`, or `hf://user/name[@revision]`,
            which is downloaded. `names`, if present, contains the names in figures.

    Returns: the same object.

    Raises: `InputError` if the number of `names` differs from the number of `runs`, or
        if a run does not exist, see `find_run_folder`.
    """
    from dsa.hub.fetching import find_run_folder
    from dsa.runs.run_names import check_names

    if getattr(options, "names", None) is not None:
        check_names(options.names, len(options.runs))
    for name in ("run", "runs", "others"):
        value = getattr(options, name, None)
        if isinstance(value, list):
            setattr(options, name, [find_run_folder(run_name) for run_name in value])
        elif value is not None:
            setattr(options, name, find_run_folder(value))
    return options
