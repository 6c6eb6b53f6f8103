"""Command `dsa`: `dsa NAME ...` runs `main` of `dsa.commands.NAME`."""

import importlib
import sys
from collections.abc import Sequence

from dsa.system.command_line import (
    BROKEN_PIPE,
    discard_output,
    open_closed_streams,
)
from dsa.system.interrupts import EXIT_CODE, MESSAGE
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
SHORT_NAMES = {"runs": ("list", "runs"), "configs": ("list", "configs")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    open_closed_streams()
    try:
        try:
            return _run(arguments)
        finally:  # including `--help`
            sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return BROKEN_PIPE


def _run(arguments):
    arguments = sys.argv[1:] if arguments is None else arguments
    name, *rest = arguments or ["--help"]
    if name == "--version":
        print(__version__)
        return 0
    if name in ("-h", "--help"):
        print(_usage())
        return 0
    if name in SHORT_NAMES:
        name, kind = SHORT_NAMES[name]
        rest = [kind, *rest]
    if name not in COMMANDS:
        show(f"error: unknown command '{name}'\n{_usage()}", sys.stderr)
        return 2
    sys.argv[0] = f"dsa {name}"  # program name in help and error messages
    try:
        return importlib.import_module(name_module(name)).main(rest)
    except KeyboardInterrupt:  # during the imports of a command
        print(MESSAGE, file=sys.stderr)
        return EXIT_CODE


def name_module(name: str) -> str:
    """Returns the module of a command.

    Example:
        >>> name_module("new-paper")
        'dsa.commands.new_paper'
    """
    return f"dsa.commands.{name.replace('-', '_')}"


def _usage() -> str:
    lines = [f"  {name:10} {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(["usage: dsa COMMAND ...", *lines, "Details: dsa COMMAND --help"])
