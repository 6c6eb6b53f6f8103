"""Reproduce a table of a paper: train the missing runs and compare the numbers.

    dsa reproduce                         list the tables
    dsa reproduce dsa-1 --plan            print files, rows, finished runs and hours
    dsa reproduce dsa-1 --seeds 13 14 15
    dsa reproduce dsa-1 --preset subset40k --rows dsa esim
    dsa reproduce dsa-2 --preset partial --no-training

Prints the plan first: the missing files with their downloads, the rows in training
order (the models of the paper, then the baselines), the finished runs, and the
estimated time. --plan prints only the plan. No run starts while a file required for
training is missing. The rows of the tables are defined in configs/tables/.

Finished runs are found by their resolved config and data. The missing runs are trained
in separate processes: one by one, several at a time (--workers), or on a cluster
(--executor). --rows restricts the training to rows, given by title, config name or
model name. On a GPU, a linear model is trained at the same time as another run. To
resume after an interruption, repeat the command. CR, MPQA and SUBJ require ten runs per
seed, one per fold. Each run is evaluated once on every split of the table whose file
exists, and its predictions are stored for dsa compare. Writes the table to
results/tables/TABLE-PRESET.md and .csv, and prints it with the paths of both files.

--sweep-keep: for multi-head attention, the paper of disan-1 reports the best of several
keep probabilities without stating its value. Each value is trained and evaluated on
dev. The value with the highest mean over the seeds is used for the row of the table,
and only its runs are evaluated on test.

Presets:
  full              the published settings
  partial           a part of SNLI or MultiNLI; 50-d vectors, projected to 300 features;
                    5 epochs for SNLI, 4 for MultiNLI, which is mixed with 40,000 pairs
                    of SNLI
  subset40k         40,000 pairs of SNLI, 4 epochs
  subset141k        141,511 pairs of SNLI, or these and 47,230 pairs of MultiNLI; 300-d
                    vectors without projection; 4 epochs, with a learning rate that
                    decreases to 0
  subset141k_glove  the same with GloVe vectors
  glove             WikiQA, MSRP and SICK entailment with 300-d GloVe vectors instead of
                    word2vec
  word2vec_26k      the same corpora with 26,423 vectors of word2vec and batches of 32
  explosion         the same with the vectors of subset141k; the tables of DiSAN on
                    SICK, SST-5, TREC, CR, MPQA and SUBJ as small with these vectors
  small             all corpora except SNLI and MultiNLI; 50-d vectors; 3,000 steps, or
                    500 per fold; SST-5 with whole sentences; batches of 32 for WikiQA,
                    MSRP and SICK entailment
Rows that were trained on partial data are marked in the table.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from dsa.backends.device_check import list_cards
from dsa.commands.options import add_data_root, add_out, make_parser
from dsa.errors import InputError
from dsa.jobs.executor_options import add_executor_arguments, choose_executor
from dsa.papers.presets import FULL
from dsa.papers.reproduction import (
    Folders,
    list_table_files,
    make_plan,
    make_table,
)
from dsa.papers.table_files import list_presets, load_tables
from dsa.runs.outputs import choose_output
from dsa.system.command_line import command, seed_number
from dsa.system.folders import data_root, find_bundled
from dsa.system.terminal import log_to_stream, show

EXECUTION = ("executor", "workers", "address", "cores", "gpus", "memory")  # of jobs


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("table", nargs="?", metavar="TABLE", help="name of a table")
    parser.add_argument(
        "--seeds",
        nargs="+",
        type=seed_number,
        default=[13],
        metavar="N",
        help="training seeds (default: 13)",
    )
    parser.add_argument(
        "--preset",
        choices=list_presets(),
        default=FULL,
        help="preset, see above (default: full)",
    )
    add_data_root(parser)
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="folder of runs (default: runs)"
    )
    parser.add_argument(
        "--rows",
        nargs="+",
        metavar="NAME",
        help="train only these rows: titles, config names or model names",
    )
    parser.add_argument("--plan", action="store_true", help="print the plan and exit")
    use = parser.add_mutually_exclusive_group()
    use.add_argument(
        "--measure",
        action="store_true",
        help="estimate the time from some training steps of each network",
    )
    use.add_argument(
        "--no-training", action="store_true", help="use finished runs only"
    )
    parser.add_argument(
        "--sweep-keep",
        action="store_true",
        help="select the keep probability on dev if the paper swept it",
    )
    add_out(parser, "output folder for the table (default: results/tables)")
    add_executor_arguments(parser)
    options = parser.parse_args(arguments)
    _check_options(options, parser.parse_args([]))
    if options.table is None:
        show(_describe_tables())
        return
    executor = None
    prints_jobs = False
    if not options.no_training:
        executor = choose_executor(options, has_gpu=bool(list_cards()))
        prints_jobs = not executor.runs_jobs
    if prints_jobs:
        # the executor `print` writes the job commands to standard output
        log_to_stream(sys.stderr)
        if options.sweep_keep:
            raise InputError(
                f"--sweep-keep is not supported with --executor {options.executor}: "
                "the last runs depend on the dev results of the first runs"
            )

    data = data_root(options.data_root)
    tables = choose_output(options.out, options.force, "results/tables")
    folders = Folders(find_bundled(), data, options.runs, tables)
    plan = None
    if executor or options.plan:
        plan = make_plan(
            options.table,
            options.preset,
            options.seeds,
            folders,
            options.rows,
            options.measure,
            options.sweep_keep,
        )
        show(plan.describe() + "\n", sys.stderr if prints_jobs else None)
        if options.plan:
            return
        if not prints_jobs:
            plan.check_files()
    table = make_table(
        options.table,
        options.preset,
        options.seeds,
        folders,
        options.rows,
        executor,
        options.sweep_keep,
        plan,
    )
    if table is not None:
        print(table)
        for file in list_table_files(options.table, options.preset):
            show(f"written: {tables.path / file}")


def _check_options(options, defaults):
    """Raises `InputError` for options without effect."""
    if options.table is None and options != defaults:
        raise InputError("options require TABLE. Write TABLE before --rows and --seeds")
    for name in EXECUTION:
        if options.no_training and getattr(options, name) != getattr(defaults, name):
            raise InputError(f"--{name} cannot be combined with --no-training")


def _describe_tables() -> str:
    """Returns one line per table: its name, number of rows to train, and title."""
    tables = load_tables()
    width = max(map(len, tables))
    lines = []
    for name, table in tables.items():
        num_rows = sum(row.config is not None for row in table.rows)
        lines.append(f"{name:{width}}  {num_rows:2} rows  {table.title}")
    return "\n".join(
        [*lines, "", "To print the plan of a table: dsa reproduce TABLE --plan"]
    )
