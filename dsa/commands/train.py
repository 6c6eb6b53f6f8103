"""Train the model of a config file.

    dsa train configs/mini/dsa.yaml
    dsa train configs/snli/dsa.yaml --set training.epochs=1 seed=7
    KERAS_BACKEND=jax dsa train configs/snli/dsa.yaml --run runs/dsa_jax

Writes a run folder: config.yaml, vocabulary.txt, best.weights.h5, history.csv,
metrics.json, sha256.json, environment.json, log.txt and state/. --resume resumes a run
that was stopped, even by kill -9, and gives the same result on a CPU. A feature-based
classifier has features.npz instead of weights and state, and starts from the beginning.

On JAX, several processes can train one run (docs/scaling.md): start each with the same
command and its own --process.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsa.commands.options import add_data_root, add_set, make_parser
from dsa.errors import InputError
from dsa.system.command_line import command, process_number
from dsa.system.terminal import show

if TYPE_CHECKING:
    from dsa.backends.processes import Place


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("config", help="YAML file of the experiment")
    add_set(parser)
    add_data_root(parser)
    parser.add_argument("--run", help="run folder (default: runs/<config>/seed-<n>)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="resume the run if it exists, otherwise start it",
    )
    parser.add_argument(
        "--evaluate",
        nargs="+",
        default=[],
        metavar="SPLIT",
        help="evaluate these splits too, once, where their files exist",
    )
    add_place_arguments(parser)
    options = parser.parse_args(arguments)
    place = read_place(options)

    from dsa.api.training import train_and_evaluate

    try:
        trained = train_and_evaluate(
            options.config,
            options.run,
            options.set,
            options.data_root,
            options.resume,
            options.evaluate,
            place,
        )
    except KeyboardInterrupt:
        print("stopped: the same command with --resume resumes it", file=sys.stderr)
        raise

    from dsa.evaluation.evaluate import describe_evaluation

    for evaluation in trained.evaluations:
        show(describe_evaluation(trained.task, evaluation))
    show(f"run folder: {trained.path}")


def add_place_arguments(parser: argparse.ArgumentParser) -> None:
    """Offer the options of one training on several processes."""
    group = parser.add_argument_group("one run on several processes")
    group.add_argument("--processes", type=process_number, help="number of processes")
    group.add_argument(
        "--process", type=process_number, help="number of this process, from 0"
    )
    group.add_argument(
        "--coordinator",
        metavar="HOST:PORT",
        help="address of process 0, with a port that is free there",
    )


def read_place(options: argparse.Namespace) -> "Place | None":
    """Returns the `Place` of this process; `None` where there is only one.

    Raises: `InputError`.
    """
    given = (options.coordinator, options.processes, options.process)
    if given == (None, None, None):
        return None
    if None in given:
        raise InputError("--processes, --process and --coordinator are needed together")
    if options.processes < 2:
        raise InputError(f"--processes: from 2 on. Received: {options.processes}")
    if options.process >= options.processes:
        raise InputError(
            f"--process: from 0 to {options.processes - 1}, as --processes is "
            f"{options.processes}. Received: {options.process}"
        )
    host, separator, port = options.coordinator.rpartition(":")
    if not (host and separator and port.isdecimal()):
        raise InputError(
            f"--coordinator: HOST:PORT is needed. Received: {options.coordinator!r}"
        )
    from dsa.backends.processes import Place

    return Place(*given)
