"""Draw the attention of one run, or two runs side by side, on a sentence or a pair.

    dsa visualize RUN --sentence "A lady stands outside."
    dsa visualize RUN RUN --pair "A man sleeps." "He is awake."
    dsa visualize RUN RUN --longest dev
    dsa visualize RUN --word close "The restaurant is about to
      close" "A biker is close to the fountain"

Writes to DIR or to figures/ of the first run: sheet.png (predictions, pooling weights
of the words, and attention maps averaged over heads or features), case_study.json
(values per word) and case_study.npz (all arrays).

--single writes several figures instead of sheet.png: attention.png,
heads_<direction>.png for each run with heads, alignment.png for pair models, and
words.png (gates, deactivated units, largest outputs and pooling weights per word). For
a pair, the file names start with the name of the sentence, and for --word with its
number. --word also writes word.png with the 40 largest source2token weights of the
word. Words outside the vocabulary are grey.
"""

from collections.abc import Sequence

from dsa.analysis.figure_files import FigureFiles, add_figure_arguments
from dsa.commands.options import add_data_and_vectors, add_out, make_parser
from dsa.commands.run_options import TWO_RUNS_HELP, parse_options
from dsa.system.command_line import command
from dsa.system.terminal import show


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help=TWO_RUNS_HELP)
    subjects = parser.add_mutually_exclusive_group(required=True)
    subjects.add_argument("--sentence", metavar="TEXT", help="single sentence")
    subjects.add_argument(
        "--pair", nargs=2, metavar=("PREMISE", "HYPOTHESIS"), help="sentence pair"
    )
    subjects.add_argument(
        "--longest", metavar="SPLIT", help="longest sentence of a split, such as dev"
    )
    subjects.add_argument(
        "--word",
        nargs=3,
        metavar=("WORD", "TEXT", "TEXT"),
        help="word, and two sentences that contain it",
    )
    parser.add_argument(
        "--single",
        action="store_true",
        help="write several figures instead of one sheet",
    )
    add_out(parser, "output folder (default: RUN/figures)")
    add_data_and_vectors(parser)
    add_figure_arguments(parser)
    options = parse_options(parser, arguments)

    from dsa.evaluation import case_study_runs as case_study
    from dsa.evaluation.compared_runs import ComparedRuns
    from dsa.runs.outputs import choose_output

    if options.pair:
        subject = case_study.Pair(*options.pair)
    elif options.longest:
        subject = case_study.Longest(options.longest)
    elif options.word:
        subject = case_study.WordInSentences(*options.word)
    else:
        subject = case_study.Sentence(options.sentence)
    compared = ComparedRuns(
        options.runs, options.names, options.vectors, options.data_root
    )
    output = choose_output(options.out, options.force, options.runs[0].path / "figures")
    figure_files = FigureFiles(options.format, options.dpi)
    lines = case_study.write_case_study(
        compared, subject, output, figure_files, options.single
    )
    for line in lines:
        show(line)
