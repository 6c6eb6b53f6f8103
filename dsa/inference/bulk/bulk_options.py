"""The options of `dsa encode` and `dsa predict` for files of any size."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.jobs.executor_options import add_executor_arguments, choose_executor
from dsa.system.command_line import count_number


def add_bulk_arguments(parser: ArgumentParser) -> None:
    """Gives a command `--columns`, `--shard-rows`, `--jobs`, and the options of
    `dsa.jobs.executor_options`."""
    parser.add_argument(
        "--columns",
        nargs="+",
        default=(),
        metavar="INPUT=COLUMN",
        help="columns of a CSV, TSV, JSON lines or Parquet file that are read",
    )
    group = parser.add_argument_group("files of any size")
    group.add_argument(
        "--shard-rows",
        type=count_number,
        metavar="N",
        help="write to the folder --out, N rows at a time (20,000 suit most models)",
    )
    group.add_argument(
        "--jobs",
        type=count_number,
        metavar="N",
        help="how many jobs the shards are dealt to (one for each worker; with ray "
        "and print one for each 500,000 rows)",
    )
    add_executor_arguments(parser)


def check_bulk_options(options: Namespace, parser: ArgumentParser) -> None:
    """Raises `InputError` for an option of bulk work without `--shard-rows`, or the
    latter without `--file` and `--out` or with what it does not go with."""
    if options.shard_rows is None:
        names = ["jobs", "executor", "workers", "address", "cores", "gpus"]
        for name in [*names, "memory", "float16"]:
            if getattr(options, name, None) not in (parser.get_default(name), None):
                raise InputError(f"--{name} needs --shard-rows")
        return
    if not (options.file and options.out):
        raise InputError("--shard-rows needs --file and --out, a folder")
    if options.runtime == "onnx":
        raise InputError("--runtime onnx does not go with --shard-rows: Keras answers")
    if Path(options.out).suffix in (".npy", ".jsonl"):
        raise InputError(f"--shard-rows: --out is a folder. Received: {options.out}")


def choose_bulk_executor(options: Namespace) -> Any:
    """Returns the executor of bulk work; `None` for a file that is read as a whole."""
    return None if options.shard_rows is None else choose_executor(options)


def do_bulk_work(
    what: str, options: Namespace, executor: Any, dtype: str = "float32"
) -> dict[str, Any] | None:
    """Does the bulk work that the options of a command describe.

    Returns: the manifest, or `None` if the executor only shows the jobs.
    """
    from dsa.inference.bulk.bulk_work import BulkWork

    work = BulkWork(
        what,
        options.run,
        options.file,
        Path(options.out),
        options.shard_rows,
        tuple(options.columns),
        dtype,
        options.vectors,
        options.data_root,
    )
    return work.do(executor, options.jobs, options.force)
