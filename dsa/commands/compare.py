"""How much two models differ on the same rows, with a 95 % interval.

    dsa compare RUN --with RUN
    dsa compare bcnn/seed-13 bcnn/seed-14 --with abcnn3/seed-13 abcnn3/seed-14
    dsa compare RUN --with RUN --split test

Several runs of a model, such as its seeds, are averaged before. Prints for each metric
that is a mean over rows, or over the questions of a ranking, the two means, their
difference and its interval by a paired bootstrap over these rows or questions. It is an
evaluation: each run's metrics.json gets an entry.
"""

import argparse

from dsa.command_line import command
from dsa.experiment.run_options import parse_with_trust


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="of the first model")
    parser.add_argument(
        "--with",
        nargs="+",
        required=True,
        dest="others",
        metavar="RUN",
        help="runs of the other model",
    )
    parser.add_argument("--split", default="dev", help="of the runs' configs (dev)")
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--vectors", help="vector file for words the runs lack")
    options = parse_with_trust(parser, arguments)

    from dsa.evaluation.paired_runs import compare_models

    text = compare_models(
        options.runs, options.others, options.split, options.vectors, options.data_root
    )
    print(text, end="")


if __name__ == "__main__":
    raise SystemExit(main())
