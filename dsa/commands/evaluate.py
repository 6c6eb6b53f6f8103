"""Evaluate the selected checkpoint of a run.

    dsa evaluate runs/snli/dsa/seed-13
    dsa evaluate runs/snli/dsa/seed-13 --split test
    dsa evaluate runs/multinli/dsa/seed-13 --split dev_mismatched
    dsa evaluate runs/snli/dsa/seed-13 --file my_pairs.csv
    dsa evaluate runs/snli/dsa/seed-13 --file a.csv --columns premise=a hypothesis=b \\
      label=c
    dsa evaluate runs/snli/dsa/seed-13 --no-record --predictions dev.jsonl
    dsa evaluate runs/snli/dsa/seed-13 --suite robustness
    dsa evaluate runs/snli/dsa/seed-13 --view shuffled_words
    dsa evaluate runs/snli/dsa/seed-13 --keep-answers
    dsa evaluate runs/snli/dsa/seed-13 --with runs/snli/dsa/seed-14

Prints the accuracy with its standard error, macro F1, the expected calibration error,
the confusion matrix, and the accuracy by gold label and, if the corpus has genres, by
genre. For a ranking task, prints MAP and MRR over the questions with a right answer.
Appends the result to metrics.json of the run. Dropout is off for all splits, including
train. --predictions writes a JSON line for each labelled row, with `id`, `gold` and the
prediction.

--file accepts the corpus format of the run, and CSV, TSV, JSON lines or Parquet files
with the columns `premise`, `hypothesis` and `label`, or the column names of SNLI.
`--columns` selects other columns.

--suite robustness evaluates a run of natural-language inference on SNLI-hard, Breaking
NLI, HANS, the NLI stress tests, CAD, ANLI, SciTail and XNLI, if their files are in the
data root. Prints a table, lists missing test sets, appends the result of each test set
to metrics.json, and writes a table (robustness.md) and a figure to RUN/figures or DIR.

--view removes one sentence of each pair, shuffles or sorts the words, or adds other
premises to each premise. The result is recorded as a separate evaluation,
such as "dev (shuffled_words)".

--keep-answers stores the predictions in the run folder, as answers_dev.npz, and their
SHA-256 in metrics.json. The file contains labels, probabilities in float16 and lengths,
about 70 kB for 10,000 rows. `dsa compare` reads this file instead of the corpus.

--with RUN ... evaluates the mean probabilities of several runs with the same labels.
The result is printed but not recorded.
"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.analysis.figure_files import FigureFiles, add_file_arguments
from dsa.commands.options import (
    add_columns,
    add_data_and_vectors,
    add_force,
    make_parser,
)
from dsa.commands.run_options import RUN_HELP, add_members, find_runs
from dsa.data.prepared.views import EVALUATION_VIEWS, PLAIN_VIEW
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.folders import data_root
from dsa.system.terminal import show

if TYPE_CHECKING:
    from dsa.runs.run_folder import RunFolder


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("run", help=RUN_HELP)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument(
        "--split",
        default="dev",
        help="dev, test, train, or a split in data.others of the config (default: dev)",
    )
    rows.add_argument("--file", help="labelled file, such as CSV or JSON lines")
    rows.add_argument("--suite", choices=["robustness"], help="suite of test sets")
    parser.add_argument(
        "--view",
        choices=[PLAIN_VIEW, *EVALUATION_VIEWS],
        help="view of the rows (default: data.view of the run's config)",
    )
    add_columns(parser)
    add_members(parser)
    add_data_and_vectors(parser)
    parser.add_argument(
        "--no-record", action="store_true", help="do not change metrics.json of the run"
    )
    parser.add_argument(
        "--keep-answers",
        action="store_true",
        help="store the predictions in the run folder, for `dsa compare`",
    )
    parser.add_argument(
        "--predictions",
        metavar="FILE",
        help="output file for predictions, JSON lines",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="output folder of --suite (default: RUN/figures)",
    )
    add_file_arguments(parser)
    add_force(parser)
    options = parser.parse_intermixed_args(arguments)
    _check_options(options)
    find_runs(options)
    if options.suite:
        _evaluate_suite(options)
    else:
        _evaluate_rows(options)


def _check_options(options: Namespace) -> None:
    """Raises `InputError` for conflicting options."""
    if options.keep_answers and (options.suite or options.no_record):
        raise InputError(
            "--keep-answers stores the predictions of one recorded evaluation and "
            "cannot be combined with --suite or --no-record"
        )
    if options.columns and not options.file:
        raise InputError("--columns requires --file")
    if options.others and (options.suite or options.keep_answers):
        raise InputError("--with cannot be combined with --suite or --keep-answers")
    if options.suite and options.predictions:
        raise InputError("--predictions cannot be combined with --suite")
    if options.out and not options.suite:
        raise InputError("--out requires --suite")
    has_figure_options = FigureFiles(options.format, options.dpi) != FigureFiles()
    if has_figure_options and not options.suite:
        raise InputError("--format and --dpi require --suite")


def _evaluate_suite(options: Namespace) -> None:
    """Evaluates a run on a suite of test sets, prints the table and writes the
    files."""
    from dsa.backends.device_check import log_device
    from dsa.evaluation.evaluate import choose_view
    from dsa.evaluation.robustness import evaluate_suite as robustness
    from dsa.inference.loading import load
    from dsa.runs.outputs import choose_output

    run = options.run
    output = choose_output(options.out, options.force, run.path / "figures")
    figure_files = FigureFiles(options.format, options.dpi)
    view = run.experiment().data.view if options.view is None else options.view
    names = robustness.list_output_names(
        figure_files, None if view == PLAIN_VIEW else view
    )
    output.check(names, [options.vectors])
    root = data_root(options.data_root)
    trained = load(run, options.vectors, root)
    log_device()
    view = choose_view(trained, options.view)
    results = robustness.evaluate_suite(trained, root, not options.no_record, view)
    text = robustness.write_suite(trained, results, output, figure_files)
    show(text.removesuffix("\n"))


def _evaluate_rows(options: Namespace) -> None:
    """Evaluates one or several runs on a split or a file, and prints the result."""
    from dsa.data.prepared.tokenizer import Tokenizer
    from dsa.evaluation.splits import check_rows
    from dsa.inference.ensemble import check_members
    from dsa.inference.input_rows import parse_columns
    from dsa.runs.outputs import check_output

    if options.predictions:
        inputs = [options.file, options.vectors]
        check_output(options.predictions, options.force, inputs)
    runs = [options.run, *options.others]
    root = data_root(options.data_root)
    check_members(runs)
    file_form = runs[0].experiment().task.file_form
    columns = parse_columns(options.columns, file_form, labelled=True)
    for run in runs:
        config = run.experiment()
        tokenizer = Tokenizer(**config.tokenizer.model_dump())
        check_rows(config.data, tokenizer, root, options.split, options.file, columns)
    if options.others:
        _evaluate_ensemble(options, runs, root, columns)
    else:
        _evaluate_run(options, root, columns)


def _evaluate_run(
    options: Namespace, root: Path, columns: dict[str, str] | None
) -> None:
    """Evaluates a run on a split or a file, and prints the result."""
    from dsa.backends.device_check import log_device
    from dsa.evaluation.evaluate import choose_view, describe_evaluation, evaluate
    from dsa.evaluation.splits import find_split
    from dsa.inference.loading import load

    trained = load(options.run, options.vectors, root)
    log_device()
    view = choose_view(trained, options.view)
    rows = find_split(trained, root, options.split, options.file, columns)
    evaluate(
        trained,
        rows,
        record=not options.no_record,
        predictions_path=options.predictions,
        view=view,
        keep_answers=options.keep_answers,
        callback=lambda entry: show(describe_evaluation(trained.task, entry)),
    )


def _evaluate_ensemble(
    options: Namespace,
    runs: "Sequence[RunFolder]",
    root: Path,
    columns: dict[str, str] | None,
) -> None:
    """Evaluates the mean probabilities of several runs, and prints the result."""
    from dsa.backends.device_check import log_device
    from dsa.evaluation.evaluate import describe_evaluation
    from dsa.evaluation.evaluate_ensemble import evaluate_ensemble
    from dsa.inference.ensemble import load_ensemble

    ensemble = load_ensemble(runs, options.vectors, root)
    log_device()
    entry = evaluate_ensemble(
        ensemble,
        root,
        options.split,
        options.file,
        options.predictions,
        options.view,
        columns,
    )
    show(f"mean probabilities of {len(runs)} runs (not recorded)")
    show(describe_evaluation(ensemble.task, entry))
