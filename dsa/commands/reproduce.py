"""Reproduce a table of a paper: train its missing runs, compare with its numbers.

    dsa reproduce dsa-1 --seeds 13 14 15
    dsa reproduce dsa-ablations --preset subset40k
    dsa reproduce dsa-2 --preset partial --no-training

Tables: dsa-1, disan-1, aesim-2 (SNLI), dsa-2, disan-3, aesim-3 (MultiNLI), disan-2
(SST-5), sst-phrases (SST-5 with its phrases), disan-4 (SICK), disan-5-trec, disan-5-cr,
disan-5-mpqa, disan-5-subj, aesim-4 (Quora), abcnn-3 (WikiQA), abcnn-4 (MSRP), abcnn-6
(SICK entailment), wikiqa-single-pairs (BCNN in batches of one pair), dsa-ablations,
snli-models (all models on SNLI), snli-views (DSA trained on SNLI in views of the rows),
stsb (STS-B). Their rows are in configs/tables/.

Finished runs are found by their resolved config and data. Missing runs of all rows, or
of the rows given by --rows, are trained in a process each: one after the other, several
at a time (--workers), or on a cluster (--executor). After an interruption, the same
command resumes. CR, MPQA and SUBJ need ten runs per seed, one per fold. Each run is
evaluated once on every split of the table whose file exists. Writes
results/tables/TABLE-PRESET.md and .csv and prints the former.

--sweep-keep: the paper of disan-1 reports the best of several keep probabilities of
multi-head attention without naming it. Each value is trained and evaluated on dev; the
value with the highest mean over the seeds becomes the row of the table, and only its
runs are evaluated on test.

Presets: full (the published settings); partial (a part of SNLI or MultiNLI, 50-d
vectors with a projection to 300, 5 or 4 epochs; MultiNLI mixed with 40,000 pairs of
SNLI); subset40k (40,000 SNLI pairs, 4 epochs); small (the other corpora, with these
vectors, 3,000 steps, or 500 per fold; SST-5 by whole sentences; batches of 32 for
WikiQA, MSRP and SICK entailment). Partial data are marked in the table.
"""

import sys
from pathlib import Path

from dsa.commands.options import add_data_root, add_out, make_parser
from dsa.errors import InputError
from dsa.jobs.executor_options import add_executor_arguments, choose_executor
from dsa.papers.presets import FULL
from dsa.papers.reproduction import Folders, make_table
from dsa.papers.table_files import list_presets, load_tables
from dsa.runs.outputs import choose_output
from dsa.system.command_line import command, seed_number
from dsa.system.folders import data_root, find_bundled
from dsa.system.terminal import log_to_stream


@command
def main(arguments=None):
    parser = make_parser(__doc__)
    parser.add_argument("table", metavar="TABLE", help=", ".join(load_tables()))
    parser.add_argument(
        "--seeds", nargs="+", type=seed_number, default=[13], metavar="N"
    )
    parser.add_argument("--preset", choices=list_presets(), default=FULL)
    add_data_root(parser)
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="folder of runs (runs)"
    )
    parser.add_argument(
        "--rows", nargs="+", metavar="NAME", help="train only these rows"
    )
    parser.add_argument(
        "--no-training", action="store_true", help="use finished runs only"
    )
    parser.add_argument(
        "--sweep-keep",
        action="store_true",
        help="select the keep probability on dev if the paper swept it",
    )
    add_out(parser, "for the table (results/tables)")
    add_executor_arguments(parser)
    options = parser.parse_args(arguments)
    train = None if options.no_training else choose_executor(options)
    if train and not train.runs_jobs:
        log_to_stream(sys.stderr)  # stdout is read by another program
        if options.sweep_keep:
            raise InputError(
                "--sweep-keep: the last runs depend on the dev results of the first "
                f"ones, and --executor {options.executor} does not wait for them"
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
