"""Options of bulk inference, for `dsa encode` and `dsa predict`."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.commands.options import add_columns
from dsa.errors import InputError
from dsa.jobs.executor_options import add_executor_arguments, choose_executor
from dsa.jobs.local import Executor
from dsa.system.command_line import count_number

if TYPE_CHECKING:
    from dsa.inference.bulk.manifest import Manifest

OPTIONS_REQUIRING_SHARDS = (
    "jobs",
    "executor",
    "workers",
    "address",
    "cores",
    "gpus",
    "memory",
    "float16",
)


def add_bulk_arguments(parser: ArgumentParser) -> None:
    """Adds `--columns`, `--shard-rows`, `--jobs` and the options of
    `dsa.jobs.executor_options`."""
    add_columns(parser)
    group = parser.add_argument_group("files of any size")
    group.add_argument(
        "--shard-rows",
        type=count_number,
        metavar="N",
        help="write output files of N rows, such as 20000, to the folder --out",
    )
    group.add_argument(
        "--jobs",
        type=count_number,
        metavar="N",
        help="number of jobs (default: one per worker; with --executor ray or print, "
        "one per 500,000 rows)",
    )
    add_executor_arguments(parser)


def check_bulk_options(options: Namespace, parser: ArgumentParser) -> None:
    """Raises `InputError` if an option of bulk inference is used without
    `--shard-rows`, or `--shard-rows` without `--file` and a folder as `--out`."""
    if options.shard_rows is None:
        for name in OPTIONS_REQUIRING_SHARDS:
            if getattr(options, name, None) not in (parser.get_default(name), None):
                raise InputError(f"--{name} requires --shard-rows")
        return
    if not (options.file and options.out):
        raise InputError("--shard-rows requires --file, and a folder as --out")
    if Path(options.out).suffix in (".npy", ".jsonl"):
        raise InputError(
            f"--shard-rows requires a folder as --out. Received: {options.out}"
        )


def choose_bulk_executor(options: Namespace) -> Executor | None:
    """Returns the executor of bulk inference, or `None` without `--shard-rows`."""
    if options.shard_rows is None:
        return None
    return choose_executor(options)


def run_bulk_inference(
    output: str, options: Namespace, executor: Executor, dtype: str = "float32"
) -> "Manifest | None":
    """Computes vectors or predictions for the rows of a file, and writes them to
    shards.

    Args:
        output: "vectors" or "predictions".
        options: parsed options, after `find_runs`.
        executor: executor of the jobs, from `choose_bulk_executor`.
        dtype: data type of the vectors, "float32" or "float16".

    Returns: the manifest, or `None` if the executor only prints the jobs.
    """
    from dsa.inference.bulk.bulk_inference import BulkInference

    inference = BulkInference(
        output,
        options.run,
        options.file,
        Path(options.out),
        options.shard_rows,
        columns=tuple(options.columns),
        dtype=dtype,
        vectors=options.vectors,
        root=options.data_root,
        runtime=options.runtime,
    )
    return inference.compute(executor, options.jobs, options.force)
