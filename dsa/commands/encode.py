"""Compute sentence vectors with the encoder of a run.

    dsa encode RUN --file sentences.txt --out vectors.npy
    dsa encode RUN --file sentences.jsonl --out vectors.npy

FILE contains one sentence per line, or JSON lines with the key `sentence`; '-' reads
standard input. A CSV, TSV or Parquet file has the column `sentence`, or `--columns`
selects another column. Writes a float32 array (sentences, features) in NumPy format,
with the sentences in file order. Duplicate sentences are encoded once. Vectors of words
outside the vocabulary are read from the vector file of the run, if it is available.

    dsa encode RUN --file sentences.csv --columns sentence=text --out FOLDER \\
      --shard-rows 20000 [--workers 2] [--float16]

With `--shard-rows N`, FILE can be larger than memory. Jobs (`--executor`, see
docs/predicting.md) write shards of N rows to FOLDER/part-00000.npy and so on, which
`dsa.open_vectors(FOLDER)` reads. To resume after an interruption, repeat the command.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from dsa.commands.bulk_options import (
    add_bulk_arguments,
    check_bulk_options,
    choose_bulk_executor,
    run_bulk_inference,
)
from dsa.commands.options import add_data_and_vectors, add_force, make_parser
from dsa.commands.run_options import RUN_HELP, add_runtime, find_runs
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.terminal import log_to_stream, show


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", help=RUN_HELP)
    parser.add_argument(
        "--file", required=True, help="file of sentences; '-' for standard input"
    )
    parser.add_argument(
        "--out",
        required=True,
        help="output .npy file; with --shard-rows, output folder",
    )
    add_data_and_vectors(parser)
    add_runtime(parser)
    add_force(parser)
    parser.add_argument(
        "--float16",
        action="store_true",
        help="with --shard-rows, write float16 instead of float32 vectors",
    )
    add_bulk_arguments(parser)
    options = parser.parse_intermixed_args(arguments)
    check_bulk_options(options, parser)
    if options.shard_rows is None and not options.out.endswith(".npy"):
        raise InputError(f"--out must end in .npy. Received: {options.out}")
    find_runs(options)
    executor = choose_bulk_executor(options)
    if executor is not None:
        _encode_in_shards(options, executor)
        return

    import numpy as np

    from dsa.inference.input_rows import SENTENCES
    from dsa.inference.loading import load
    from dsa.inference.prediction_files import read_input_rows
    from dsa.runs.outputs import check_output
    from dsa.system.atomic_files import write_atomically

    check_output(options.out, options.force, [options.file, options.vectors])
    data = options.run.experiment().data
    examples = read_input_rows(options.file, SENTENCES, options.columns, data)
    texts = [example.texts[0] for example in examples]
    trained = load(
        options.run,
        vectors=options.vectors,
        root=options.data_root,
        runtime=options.runtime,
    )
    vectors = trained.encode(texts)
    write_atomically(options.out, lambda path: np.save(path, vectors))
    show(f"{options.out}: {vectors.shape[0]:,} vectors of {vectors.shape[1]} features")


def _encode_in_shards(options: Namespace, executor: Any) -> None:
    """Writes the vectors of the sentences in a file to shards."""
    if not executor.runs_jobs:
        # the executor `print` writes the job commands to standard output
        log_to_stream(sys.stderr)
    dtype = "float16" if options.float16 else "float32"
    manifest = run_bulk_inference("vectors", options, executor, dtype)
    if manifest is not None:  # the shards are complete
        from dsa.inference.bulk.vectors import open_vectors

        rows, units = open_vectors(options.out).shape
        # standard output of the executor `print` contains only commands
        stream = None if executor.runs_jobs else sys.stderr
        show(f"{options.out}: {rows:,} vectors of {units} features", stream)
