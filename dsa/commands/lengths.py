"""Measure the accuracy of runs by sentence length, or by the mean length of a pair.

    dsa lengths RUN
    dsa lengths RUN RUN --split dev --out results/lengths/snli
    dsa lengths RUN RUN --file multinli_1.0_dev_matched.jsonl

Writes to DIR or to figures/ of the first run:
  lengths.csv  number of pairs, accuracy and 95 % Wilson interval of each bucket; paired
               differences from the first run with McNemar's exact test, also with
               Holm's correction for the number of buckets
  lengths.txt  the same results as text, with the significant differences; also printed
  lengths.png  distribution of the lengths, and accuracy by length
The evaluation is added to metrics.json of each run.
"""

from collections.abc import Sequence

from dsa.analysis.figure_files import FigureFiles, add_figure_arguments
from dsa.commands.options import add_data_and_vectors, add_out, make_parser
from dsa.commands.run_options import RUNS_HELP, parse_options
from dsa.system.command_line import command, token_count
from dsa.system.terminal import show


@command(log_to_stderr=True)
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help=RUNS_HELP)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument(
        "--split",
        default="dev",
        help="split in the config of the first run (default: dev)",
    )
    rows.add_argument("--file", help="labelled file, as in `dsa evaluate`")
    parser.add_argument(
        "--edges",
        nargs="+",
        type=token_count,
        metavar="TOKENS",
        help="upper bounds of the buckets (default: 5 10 15 20 25)",
    )
    add_out(parser, "output folder (default: RUN/figures)")
    add_data_and_vectors(parser)
    add_figure_arguments(parser)
    options = parse_options(parser, arguments)

    from dsa.evaluation.compared_runs import ComparedRuns
    from dsa.evaluation.length_runs import write_accuracy_by_length
    from dsa.runs.outputs import choose_output

    text = write_accuracy_by_length(
        ComparedRuns(options.runs, options.names, options.vectors, options.data_root),
        choose_output(options.out, options.force, options.runs[0].path / "figures"),
        options.split,
        options.file,
        options.edges,
        FigureFiles(options.format, options.dpi),
    )
    show(text.removesuffix("\n"))
