"""Evaluate the sentence vectors of runs on other tasks with the protocol of SentEval.

    dsa transfer RUN [RUN ...]
    dsa transfer RUN --tasks CR TREC --average glove.6B.50d.txt 50

The encoder is frozen. Logistic regression is trained on its vectors (pairs as
[|u - v|; u * v]); C, 2^-2 to 2^3, or 2^-1 to 2^5 for TREC and MSRP, is selected on dev,
else by ten folds. CR, MPQA and SUBJ are cross-validated. SICK-R and STS-B are predicted
as distributions over scores (Tai et al. 2015), trained with Adam; STS-B is also
predicted by the cosine, without training. --average adds a row of averaged word
vectors.

Tasks without files below the data root are skipped with a warning. Appends each result
to transfer.json of its run, prints a Markdown table and writes it to --out, with
transfer.csv and the results of the average (average.json).
"""

from dsa.commands.options import add_data_and_vectors, add_out, make_parser
from dsa.commands.run_options import parse_options
from dsa.system.command_line import command, seed_number
from dsa.system.folders import data_root
from dsa.system.terminal import show


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folders")
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="tasks (all)")
    parser.add_argument(
        "--average",
        nargs=2,
        metavar=("VECTORS", "UNITS"),
        help="vector file below the data root and number of its features",
    )
    parser.add_argument(
        "--seed", type=seed_number, default=13, help="seed of the folds"
    )
    add_data_and_vectors(parser)
    add_out(parser, "folder of the table")
    options = parse_options(parser, arguments)

    from dsa.evaluation.transfer.evaluate_encoders import evaluate_runs
    from dsa.runs.outputs import OutputFolder

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
