"""Split a labelled file, and write configs of three models for it.

    dsa new-data quora.csv
    dsa new-data quora.csv --columns premise=left hypothesis=right label=same
    dsa new-data train.tsv test.tsv --out my_data --dev-share 0.1
    dsa new-data similarity.parquet --scores 0 5

Reads CSV, TSV, JSON lines or Parquet files with named columns. The columns of the roles
`premise` and `hypothesis`, or `sentence`, of `label`, and optionally of `id`, `group`
and `split` are inferred from column values and names. The columns are printed with the
reasons of the inference.

Several files must have the same columns. A file with train, dev, valid or test in its
name is used as this split, as are rows with these values in the column `split`. Missing
splits are drawn from the other rows, with about the same label distribution. Rows with
common texts are assigned to the same split if possible. The printed line `splits`
describes the rows for which it was possible.

Writes a new folder: train.jsonl, dev.jsonl, test.jsonl, word vectors, and a config for
each model. Prints counts, duplicates and lengths, and the commands that train the
models. Rows without a label or with an empty text are skipped.
"""

from collections.abc import Sequence

from dsa.commands.options import make_parser
from dsa.parsing import parse_integer, parse_number
from dsa.system.command_line import bounded, command

parse_share = bounded(parse_number, 0.01, 0.9)
parse_score = bounded(parse_integer, 0, 10**9)


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="labelled file")
    parser.add_argument(
        "--columns",
        nargs="+",
        default=[],
        metavar="ROLE=COLUMN",
        help="column of each role; ROLE= leaves a role without a column",
    )
    parser.add_argument(
        "--labels", nargs="+", default=[], metavar="L", help="labels in output order"
    )
    parser.add_argument(
        "--scores",
        nargs=2,
        type=parse_score,
        metavar=("LOWEST", "HIGHEST"),
        help="range of the scores of pairs, if the label column contains scores",
    )
    parser.add_argument(
        "--test-share",
        type=parse_share,
        default=0.2,
        metavar="S",
        help="share of the other rows for test (default: 0.2)",
    )
    parser.add_argument(
        "--dev-share",
        type=parse_share,
        default=0.2,
        metavar="S",
        help="share of the other rows for dev (default: 0.2)",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="new folder (default: name of the first file)"
    )
    options = parser.parse_args(arguments)

    from dsa.new_data.new_data import name_folder, write_new_data
    from dsa.new_data.roles import parse_columns

    scores = None
    if options.scores is not None:
        scores = tuple(options.scores)
    lines = write_new_data(
        options.files,
        options.out or name_folder(options.files[0]),
        parse_columns(options.columns),
        {"test": options.test_share, "dev": options.dev_share},
        options.labels,
        scores,
    )
    print("\n".join(lines))
