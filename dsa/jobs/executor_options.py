"""Options of commands that run jobs: executor and resources."""

import argparse

from dsa.errors import InputError
from dsa.jobs.job import Needs
from dsa.jobs.local import Executor, LocalExecutor, PrintingExecutor
from dsa.parsing import parse_integer, parse_number
from dsa.system.command_line import bounded

EXECUTORS = ("local", "ray", "print")
GIGABYTE = 2**30


def add_executor_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options that select the executor and the resources of a job."""
    group = parser.add_argument_group("execution of jobs")
    group.add_argument(
        "--executor",
        choices=EXECUTORS,
        default="local",
        help="local: processes of this machine; ray: a Ray cluster; print: only print "
        "the commands, one per line (default: local)",
    )
    group.add_argument(
        "--workers",
        type=_parse_count,
        metavar="N",
        help="local: number of parallel jobs (default: 1)",
    )
    group.add_argument("--address", help="ray: address of the cluster (default: auto)")
    group.add_argument(
        "--cores",
        type=_parse_count,
        metavar="N",
        help="cores per job, and threads unless OMP_NUM_THREADS is set",
    )
    group.add_argument(
        "--gpus", type=_parse_gpus, metavar="N", help="ray: GPUs per job (default: 0)"
    )
    group.add_argument(
        "--memory", type=_parse_amount, metavar="GB", help="ray: memory per job"
    )


def choose_executor(options: argparse.Namespace, has_gpu: bool = False) -> Executor:
    """Returns the executor selected by the options.

    Args:
        options: parsed options.
        has_gpu: whether this machine has a GPU, see `LocalExecutor`.

    Raises: `InputError` if an option belongs to another executor, or Ray is missing.
    """
    for name, executor in (
        ("workers", "local"),
        ("address", "ray"),
        ("gpus", "ray"),
        ("memory", "ray"),
    ):
        if getattr(options, name) is not None and options.executor != executor:
            raise InputError(f"--{name} requires --executor {executor}")
    if options.cores is not None and options.executor == "print":
        raise InputError("--cores cannot be combined with --executor print")
    needs = _make_needs(options)
    if options.executor == "print":
        return PrintingExecutor()
    if options.executor == "local":
        return LocalExecutor(options.workers or 1, needs, has_gpu)
    from dsa.jobs.ray_cluster import RayExecutor

    return RayExecutor(options.address or "auto", needs)


def _make_needs(options):
    """Returns the `Needs` of each job, or `None` if no resources are given."""
    if all(value is None for value in (options.cores, options.gpus, options.memory)):
        return None
    memory = round((options.memory or 0) * GIGABYTE)
    return Needs(options.cores or 1, options.gpus or 0, memory)


_parse_count = bounded(parse_integer, 1, 1_000)
_parse_amount = bounded(parse_number, 0, 2**20)


def _parse_gpus(text):
    """Parses an integer number of GPUs, or a share of one GPU."""
    number = _parse_amount(text)
    if number > 1 and number % 1:
        raise argparse.ArgumentTypeError(
            "expected an integer, or a share of one GPU below 1. Received: "
            f"{text[:40]!r}"
        )
    return number
