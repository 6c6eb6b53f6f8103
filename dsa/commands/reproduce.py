"""Run what a table of a paper needs, and write the table with the paper's numbers.

    dsa reproduce dsa-1 --seeds 13 14 15
    dsa reproduce dsa-ablations --preset subset40k
    dsa reproduce dsa-2 --preset partial --no-training

Tables: dsa-1, disan-1, aesim-2 (SNLI), dsa-2, disan-3, aesim-3 (MultiNLI), disan-2
(SST-5), sst-phrases (with its phrases), disan-4 (SICK), disan-5-trec, disan-5-cr,
disan-5-mpqa, disan-5-subj, aesim-4 (Quora), abcnn-3 (WikiQA), abcnn-4 (MSRP), abcnn-6
(SICK's entailment), wikiqa-single-pairs (BCNN in batches of one pair), dsa-ablations,
snli-models (the models of this project on SNLI), snli-views (DSA trained on SNLI in
views of the rows), stsb (STS-B).

Finished runs are found by their resolved config and data. Missing runs are trained, for
all rows or for those that `--rows` names, each in a process of its own: one after the
other, several at once (`--workers`), or on a cluster (`--executor`). After an
interrupt, the same command resumes. CR, MPQA and SUBJ need ten runs per seed, one per
fold. Each run is evaluated once on every split of the table whose file exists. Writes
results/tables/TABLE-PRESET.md and .csv and prints the former.

`--sweep-keep`: the paper of disan-1 reports the best of several keep probabilities of
multi-head attention, and does not say which. Each is trained and evaluated on dev; the
value with the best mean over the seeds is the table's row, and only it is evaluated on
test.

Presets: full (the published settings); partial (a part of SNLI or MultiNLI, 50-d
vectors with a projection to 300, 5 or 4 epochs; MultiNLI with 40,000 pairs of SNLI);
subset40k (40,000 SNLI pairs, 4 epochs); small (the other corpora, with these vectors,
3,000 steps, or 500 per fold; SST-5 by whole sentences; batches of 32 for WikiQA, MSRP
and SICK's entailment). Partial data are marked in the table.
"""

import sys
from pathlib import Path

from dsa.commands.options import add_data_root, add_out, make_parser
from dsa.errors import InputError
from dsa.jobs.executor_options import add_executor_arguments, choose_executor
from dsa.papers.all_tables import TABLES, list_presets
from dsa.papers.presets import FULL
from dsa.papers.reproduction import Folders, make_table
from dsa.runs.outputs import choose_output
from dsa.system.command_line import command, seed_number
from dsa.system.folders import data_root, find_bundled
from dsa.system.terminal import log_to_stream


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("table", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument(
        "--seeds", nargs="+", type=seed_number, default=[13], metavar="N"
    )
    parser.add_argument("--preset", choices=list_presets(), default=FULL)
    add_data_root(parser)
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="folder of runs (runs)"
    )
    parser.add_argument(
        "--rows", nargs="+", metavar="NAME", help="train only these rows of the table"
    )
    parser.add_argument(
        "--no-training", action="store_true", help="use finished runs only"
    )
    parser.add_argument(
        "--sweep-keep",
        action="store_true",
        help="train rows whose paper swept the keep probability with each value",
    )
    add_out(parser, "for the table (results/tables)")
    add_executor_arguments(parser)
    options = parser.parse_args(arguments)
    train = None if options.no_training else choose_executor(options)
    if train and not train.runs_jobs:
        log_to_stream(sys.stderr)  # what it prints is for a program
        if options.sweep_keep:
            raise InputError(
                "--sweep-keep: dev chooses the last runs when the first ones have "
                f"ended, which --executor {options.executor} does not wait for"
            )

    data = data_root(options.data_root)
    tables = choose_output(options.out, options.force, "results/tables")
    folders = Folders(find_bundled(), data, options.runs, tables)
    table = make_table(
        options.table,
        options.preset,
        options.seeds,
        folders,
        options.rows,
        train,
        options.sweep_keep,
    )
    if table is not None:
        print(table)
