"""Split a labelled file, and write configs of three models for it.

    dsa new-data quora.csv
    dsa new-data quora.csv --columns premise=left hypothesis=right label=same
    dsa new-data train.tsv test.tsv --out my_data --dev-share 0.1
    dsa new-data similarity.parquet --scores 0 5

Reads CSV, TSV, JSON lines or Parquet with a header line. Columns are chosen by their
values and names: `premise` and `hypothesis`, or `sentence`; `label`; and optionally
`id`, `group` and `split`. The choices are printed with their reasons.

Several files must have the same columns. A file with train, dev, valid or test in its
name is used as this split, and so are rows with these values in the column `split`.
Missing splits are drawn from the other rows. Rows with common texts stay in the same
split. Labels have about the same share in each split.

Writes a new folder: train.jsonl, dev.jsonl, test.jsonl, word vectors, and a config for
each model. Prints counts, duplicates and lengths, and the commands that train the
models. Rows without a label or with an empty text are skipped.
"""

from dsa.commands.options import make_parser
from dsa.parsing import parse_integer, parse_number
from dsa.system.command_line import bounded, command

share = bounded(parse_number, 0.01, 0.9)
score = bounded(parse_integer, 0, 10**9)


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="labelled file")
    parser.add_argument(
        "--columns",
        nargs="+",
        default=[],
        metavar="ROLE=COLUMN",
        help="column of each role; ROLE= for no column",
    )
    parser.add_argument(
        "--labels", nargs="+", default=[], metavar="L", help="labels, in this order"
    )
    parser.add_argument(
        "--scores",
        nargs=2,
        type=score,
        metavar=("LOWEST", "HIGHEST"),
        help="scores of pairs on this scale instead of labels",
    )
    parser.add_argument(
        "--test-share",
        type=share,
        default=0.2,
        metavar="S",
        help="share of the rows that becomes test (0.2)",
    )
    parser.add_argument(
        "--dev-share",
        type=share,
        default=0.2,
        metavar="S",
        help="share of the rows that becomes dev (0.2)",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="new folder (default: name of the first file)"
    )
    options = parser.parse_args(arguments)

    from dsa.new_data.new_data import name_folder, write_new_data
    from dsa.new_data.roles import parse_columns

    lines = write_new_data(
        options.files,
        options.out or name_folder(options.files[0]),
        parse_columns(options.columns),
        {"test": options.test_share, "dev": options.dev_share},
        options.labels,
        options.scores and tuple(options.scores),
    )
    print("\n".join(lines))
