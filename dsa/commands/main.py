"""The command `dsa`: `dsa NAME ...` calls `main` of the module `dsa.commands.NAME`."""

import importlib
import sys
from collections.abc import Sequence

from dsa.errors import BROKEN_PIPE_CODE, INTERRUPTED_CODE
from dsa.system.command_line import (
    INTERRUPTED_MESSAGE,
    discard_output,
    open_closed_streams,
)
from dsa.system.terminal import show
from dsa.version import __version__

COMMANDS = {
    "train": "train the model of a config file",
    "evaluate": "evaluate the selected checkpoint of a run",
    "predict": "predict labels or scores of new pairs or sentences",
    "encode": "compute sentence vectors",
    "export": "export a model to ONNX or SavedModel",
    "transfer": "evaluate sentence vectors on other tasks",
    "visualize": "draw attention and gates on a sentence or a pair",
    "lengths": "measure accuracy by length",
    "plot": "plot learning curves",
    "compare": "compare two models on the same rows, with intervals",
    "explore": "open a web page with predictions and attention of runs",
    "serve": "serve a run over HTTP (JSON)",
    "submit": "write submissions to Kaggle's MultiNLI evaluations",
    "reproduce": "compare a table of a paper with our runs",
    "sweep": "train a config with several settings and seeds; compare on dev",
    "push": "upload a run to a Hugging Face hub",
    "pull": "download a run from a Hugging Face hub",
    "download": "download corpora and word vectors",
    "subset": "recreate the training subsets of our results",
    "new-data": "split a labelled file, and write configs for it",
    "new-paper": "create a package for your own model",
    "doctor": "check this machine: backend, extras, data, memory",
    "list": "list releases, runs and config files",
}
SHORT_NAMES = ("runs", "configs")  # `dsa runs` is short for `dsa list runs`


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    open_closed_streams()
    try:
        try:
            return _run(arguments)
        finally:  # also after `SystemExit`, for example of `--help`
            sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return BROKEN_PIPE_CODE


def _run(arguments: Sequence[str] | None) -> int:
    """Runs a command or prints the usage or the version. Returns the exit code."""
    if arguments is None:
        arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_format_usage())
        return 0
    name, *rest = arguments
    if name == "--version":
        print(__version__)
        return 0
    if name in SHORT_NAMES:
        rest = [name, *rest]
        name = "list"
    if name not in COMMANDS:
        show(f"error: unknown command '{name}'\n{_format_usage()}", sys.stderr)
        return 2
    sys.argv[0] = f"dsa {name}"  # program name in help and error messages
    try:
        return importlib.import_module(get_module_name(name)).main(rest)
    except KeyboardInterrupt:  # during the imports of a command
        print(INTERRUPTED_MESSAGE, file=sys.stderr)
        return INTERRUPTED_CODE


def get_module_name(name: str) -> str:
    """Returns the name of the module of a command.

    Example:
        >>> get_module_name("new-paper")
        'dsa.commands.new_paper'
    """
    return f"dsa.commands.{name.replace('-', '_')}"


def _format_usage() -> str:
    lines = [f"  {name:10} {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(["usage: dsa COMMAND ...", *lines, "Details: dsa COMMAND --help"])
