"""Evaluate the sentence vectors of runs on other tasks with the protocol of SentEval.

    dsa transfer RUN [RUN ...]
    dsa transfer RUN --tasks CR TREC --average glove.6B.50d.txt 50

The encoder is frozen. Logistic regression is trained on the sentence vectors; the
features of a pair are [|u - v|; u * v]. C is selected on dev, or by ten-fold
cross-validation if the task has no dev split, from 2^-2 to 2^3 (TREC and MSRP: 2^-1 to
2^5). CR, MPQA and SUBJ are evaluated by cross-validation. For SICK-R and STS-B, a
distribution over the scores is predicted (Tai et al. 2015), trained with Adam. STS-B is
also evaluated with the cosine similarity, without training. --average adds a row for
averaged word vectors.

Tasks whose files are not in the data root are skipped with a warning. Appends each
result to transfer.json of its run, prints a Markdown table and writes it to --out, with
transfer.csv and the results of the averaged word vectors (average.json).
"""

from collections.abc import Sequence

from dsa.commands.options import add_data_and_vectors, add_out, make_parser
from dsa.commands.run_options import RUNS_HELP, find_runs
from dsa.system.command_line import command, seed_number
from dsa.system.folders import data_root
from dsa.system.terminal import show


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help=RUNS_HELP)
    parser.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="tasks (default: all)"
    )
    parser.add_argument(
        "--average",
        nargs=2,
        metavar=("VECTORS", "UNITS"),
        help="vector file in the data root, and number of features of its vectors",
    )
    parser.add_argument(
        "--seed", type=seed_number, default=13, help="seed of the folds"
    )
    add_data_and_vectors(parser)
    add_out(parser, "output folder for the table")
    options = parser.parse_intermixed_args(arguments)

    from dsa.evaluation.transfer.evaluate_encoders import (
        choose_transfers,
        evaluate_runs,
    )
    from dsa.runs.outputs import OutputFolder

    choose_transfers(options.tasks)  # raises an error for an unknown task
    find_runs(options)

    output = OutputFolder(options.out, options.force) if options.out else None
    text = evaluate_runs(
        options.runs,
        data_root(options.data_root),
        options.tasks,
        options.average,
        seed=options.seed,
        vectors=options.vectors,
        output=output,
    )
    show(text.removesuffix("\n"))
