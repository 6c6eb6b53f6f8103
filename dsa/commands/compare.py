"""Compare two models on the same rows, over several training seeds.

    dsa compare RUN RUN
    dsa compare bcnn/seed-13 bcnn/seed-14 --with abcnn3/seed-13 abcnn3/seed-14
    dsa compare RUN RUN --split test

Runs are paired by seed, because runs with equal seeds have the same batches. Prints the
settings in which the models differ. For each metric that is a mean over rows, or over
the questions of a ranking task, prints the two means, the difference, its 95 % interval
over seeds and rows, and whether the difference is significant. Two intervals are
computed: by a bootstrap over seeds and rows, and by a paired t-test over seeds. The
printed interval is the smallest interval that contains both. A difference is
significant only if both intervals exclude 0, and never with one seed.

Runs with stored predictions (`dsa evaluate --keep-answers`) are compared without the
corpus. Other runs are evaluated, and the evaluation is added to their metrics.json. A
run can also be a path inside a study, such as results/distance_mask/seeds/dsa/seed-16.
"""

from argparse import Namespace
from collections.abc import Sequence

from dsa.commands.options import add_data_and_vectors, make_parser
from dsa.commands.run_options import find_runs
from dsa.errors import InputError
from dsa.system.command_line import command
from dsa.system.terminal import show


@command(log_to_stderr=True)
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="runs of the first model, or one run of each model: run folders, release "
        "names or hf://USER/NAME",
    )
    parser.add_argument(
        "--with",
        nargs="+",
        dest="others",
        metavar="RUN",
        help="runs of the other model",
    )
    parser.add_argument(
        "--split", default="dev", help="split to compare on (default: dev)"
    )
    add_data_and_vectors(parser)
    options = parser.parse_intermixed_args(arguments)
    _check_run_count(options)
    find_runs(options)
    if options.others is None:  # one run of each model
        first_run, other_run = options.runs
        first_runs = [first_run]
        other_runs = [other_run]
    else:
        first_runs = options.runs
        other_runs = options.others

    from dsa.evaluation.paired_runs import compare_models

    comparison = compare_models(
        first_runs, other_runs, options.split, options.vectors, options.data_root
    )
    show(str(comparison))


def _check_run_count(options: Namespace) -> None:
    """Raises `InputError` unless there are two runs or `--with`."""
    if options.others is None and len(options.runs) != 2:
        raise InputError(
            "expected two runs, or the runs of one model --with the runs of another. "
            f"Received: {len(options.runs)}"
        )
