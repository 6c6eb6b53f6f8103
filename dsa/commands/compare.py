"""Compare two models on the same rows, over several training seeds.

    dsa compare RUN RUN
    dsa compare bcnn/seed-13 bcnn/seed-14 --with abcnn3/seed-13 abcnn3/seed-14
    dsa compare RUN RUN --split test

Runs are paired by seed, because runs with equal seeds have the same batches. Prints the
settings in which the models differ. For each metric that is a mean over rows, or over
the questions of a ranking, prints the two means, the difference, its 95 % interval over
seeds and rows, and whether the difference is significant. On each side, the interval
takes the wider limit of a bootstrap over seeds and rows and of a paired t-test over
seeds. A difference is significant only if both exclude 0, and never with one seed.

Runs with saved answers (`dsa evaluate --keep-answers`) need no corpus. Other runs are
evaluated, and the evaluation is added to their metrics.json. A run can also be a path
inside a study, such as results/distance_mask/seeds/dsa/seed-16.
"""

from dsa.commands.options import add_data_and_vectors, make_parser
from dsa.commands.run_options import parse_options
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.terminal import show


@command(log_to_stderr=True)
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="runs of the first model, or one run of each",
    )
    parser.add_argument(
        "--with",
        nargs="+",
        dest="others",
        metavar="RUN",
        help="runs of the other model",
    )
    parser.add_argument("--split", default="dev", help="split to compare on (dev)")
    add_data_and_vectors(parser)
    options = parse_options(parser, arguments, _check_run_count)
    first, other = options.runs, options.others
    if other is None:
        first, other = first[:1], first[1:]

    from dsa.evaluation.paired_runs import compare_models

    compared = compare_models(
        first, other, options.split, options.vectors, options.data_root
    )
    show(str(compared))


def _check_run_count(options):
    if options.others is None and len(options.runs) != 2:
        raise InputError(
            "expected two runs, or the runs of one model --with the runs of another"
        )
