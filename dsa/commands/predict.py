"""Predict labels or scores of sentence pairs or sentences, or rank answers.

    dsa predict RUN "A man sleeps." "Nobody is awake."
    dsa predict RUN --file pairs.jsonl --out labels.jsonl
    printf 'A man sleeps.\\tA person rests.\\n' | dsa predict RUN --file -

FILE contains JSON lines with `sentence1`, `sentence2` and optionally an id (`pairID`,
`id`, `test_id` ...). It can also be a CSV, TSV or Parquet file with columns of these
names (`--columns` selects other columns), or contain a premise, a tab and a hypothesis
per line. Labels in FILE are ignored. Models of single sentences accept one text, a file
with one sentence per line, or a file with the column `sentence` in the same formats.
The output for a file has one JSON line per row, in file order, with `pairID` or `id`,
`label` or `score`, and `probabilities`.

    dsa predict RUN "A man sleeps." "Nobody is awake." --with RUN RUN

--with averages the probabilities over several runs with the same labels.

Ranking models accept a question and an answer, or a file of questions: JSON lines with
`question`, a list `answers` and optionally `id`; a table with the columns `question`
and `answer`; the seven columns of WikiQA; or a question, a tab and an answer per line.
The output has one JSON line per question with its answers in rank order, each with
`rank`, `score` and `probability`.

    dsa predict RUN --file pairs.csv --columns premise=a hypothesis=b --out FOLDER \\
      --shard-rows 20000 [--workers 2]

With `--shard-rows N`, FILE can be larger than memory. Jobs (`--executor`, see
docs/predicting.md) write the same JSON lines to shards of N rows:
FOLDER/part-00000.jsonl and so on. To resume after an interruption, repeat the command.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from dsa.commands.bulk_options import (
    add_bulk_arguments,
    check_bulk_options,
    choose_bulk_executor,
    run_bulk_inference,
)
from dsa.commands.options import add_data_and_vectors, add_force, make_parser
from dsa.commands.run_options import RUN_HELP, add_members, add_runtime, find_runs
from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.terminal import show


@command(log_to_stderr=True)
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", help=RUN_HELP)
    parser.add_argument(
        "texts", nargs="*", metavar="TEXT", help="premise and hypothesis, or a sentence"
    )
    parser.add_argument(
        "--file", help="file of pairs, sentences or questions; '-' for standard input"
    )
    parser.add_argument(
        "--out",
        help="output file (default: standard output); with --shard-rows, output folder",
    )
    add_members(parser)
    add_data_and_vectors(parser)
    add_runtime(parser)
    add_force(parser)
    add_bulk_arguments(parser)
    options = parser.parse_intermixed_args(arguments)
    _check_options(options, parser)
    find_runs(options)
    executor = choose_bulk_executor(options)
    if executor is not None:
        manifest = run_bulk_inference("predictions", options, executor)
        if manifest is not None:  # the shards are complete
            # standard output of the executor `print` contains only commands
            stream = None if executor.runs_jobs else sys.stderr
            count = sum(manifest.shards)
            show(f"{options.out}: predictions for {count:,} rows", stream)
    elif options.file:
        _predict_file(options)
    else:
        _predict_texts(options)


def _check_options(options: Namespace, parser: ArgumentParser) -> None:
    """Raises `InputError` for conflicting options."""
    check_bulk_options(options, parser)
    if bool(options.texts) == bool(options.file):
        raise InputError(
            "expected either TEXT, such as a premise and a hypothesis, or --file"
        )
    if options.out and not options.file:
        raise InputError("--out requires --file. Predictions of TEXT are printed")
    if options.columns and not options.file:
        raise InputError("--columns requires --file")
    if options.shard_rows and options.others:
        raise InputError("--with and --shard-rows cannot be combined")


def _predict_file(options: Namespace) -> None:
    """Predicts the rows of a file, and writes or prints the predictions."""
    from dsa.inference.prediction_files import predict_file
    from dsa.runs.outputs import check_output

    if options.out:
        check_output(options.out, options.force, [options.file, options.vectors])
    runs = [options.run, *options.others]
    lines = predict_file(
        runs,
        options.file,
        options.vectors,
        options.data_root,
        options.columns,
        options.runtime,
    )
    if options.out:
        write_atomically(options.out, lines)
        num_predictions = lines.count("\n")
        show(f"{options.out}: {num_predictions:,} predictions")
    else:
        print(lines, end="")


def _predict_texts(options: Namespace) -> None:
    """Predicts one row, and prints the prediction."""
    from dsa.inference.ensemble import check_members, load_models
    from dsa.inference.python_inputs import check_row_size

    runs = [options.run, *options.others]
    check_members(runs)
    task = options.run.experiment().task
    check_row_size(options.run.path, task, options.texts)
    trained = load_models(runs, options.vectors, options.data_root, options.runtime)
    (prediction,) = trained.predict([options.texts])
    show(prediction[0])  # a label or a score
    for label, probability in prediction.probabilities.items():
        show(f"  {label:15} {probability:.4f}")
