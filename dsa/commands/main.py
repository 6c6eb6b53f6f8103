"""The command `dsa`: `dsa NAME ...` runs `main` of `dsa.commands.NAME`."""

import importlib
import sys
from collections.abc import Sequence

from dsa.system.interrupts import EXIT_CODE, MESSAGE
from dsa.system.terminal import show
from dsa.version import __version__

COMMANDS = {
    "train": "train the model of a config file",
    "evaluate": "evaluate the selected checkpoint of a run",
    "predict": "labels, or scores, of new pairs or sentences",
    "encode": "sentence vectors of a run's encoder",
    "export": "a trained model as ONNX or SavedModel, for other programs",
    "transfer": "measure sentence vectors on other tasks",
    "visualize": "draw what a run looked at in a sentence or a pair",
    "lengths": "accuracy by length",
    "plot": "learning curves of runs",
    "compare": "the difference of two models on the same rows, with intervals",
    "explore": "a web page that shows what runs look at",
    "serve": "serve a run over HTTP, as JSON",
    "submit": "write submissions to Kaggle's MultiNLI evaluations",
    "reproduce": "a paper's table beside our runs",
    "sweep": "train a config with several settings and seeds, compare on dev",
    "push": "upload a run to a Hugging Face hub",
    "pull": "download a run from a Hugging Face hub",
    "download": "download corpora and word vectors",
    "subset": "pick the rows that our results were trained on",
    "new-paper": "write a package for a model of your own",
    "doctor": "check this machine: backend, extras, data, memory",
    "list": "releases, runs and config files; `dsa list runs`, `dsa list configs`",
}
SHORT_NAMES = {"runs": ("list", "runs"), "configs": ("list", "configs")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    name, *rest = arguments or ["--help"]
    if name == "--version":
        print(__version__)
        return 0
    if name in ("-h", "--help"):
        print(_usage())
        return 0
    name, *rest = *SHORT_NAMES.get(name, (name,)), *rest
    if name not in COMMANDS:
        show(f"error: unknown command '{name}'\n{_usage()}", sys.stderr)
        return 2
    sys.argv[0] = f"dsa {name}"  # program name in --help and errors
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
    lines = [f"  {name:10} {what}" for name, what in COMMANDS.items()]
    return "\n".join(
        ["usage: dsa COMMAND ...", *lines, "dsa COMMAND --help tells more"]
    )
