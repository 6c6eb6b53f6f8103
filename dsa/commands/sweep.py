"""Train a config with all combinations of settings and seeds, and compare the runs.

    dsa sweep configs/mini/dsa.yaml --seeds 13 14 15 --grid model.alpha=0,1,1.5
    dsa sweep configs/snli/dsa.yaml --grid model.alpha=0,1 model.dropout=0.1,0.2 \\
      --executor ray
    dsa sweep configs/snli/dsa.yaml --seeds 13 14 --executor print > jobs.txt
    dsa sweep my_pairs.yaml --folds 5
    dsa sweep my_pairs.yaml --grid "model.dropout=uniform(0,0.5)" \\
      "training.learning_rate=log(1e-4,3e-3)" --runs-at-most 20

--folds K is a cross-validation for small data. It trains K runs and evaluates each on
another fold of the rows of `data.train`. The files of dev and test are not read. A
tenth of the training rows of a fold is its dev split, unless the config sets
`data.dev_share`.

`uniform(A,B)` and `log(A,B)` draw random values, which are equal in each call.
--runs-at-most sets the number of runs over all seeds and folds. If the grid contains
only lists, it selects random combinations.

Finished runs are found by their resolved config and data. Each missing run is trained
in a separate process: one by one, in parallel (`--workers`), or on a cluster
(`--executor`, see docs/scaling.md). To resume after an interruption, repeat the
command.

Writes sweep.md and sweep.csv, a table with the mean and range of the dev metric and the
number of runs for each combination, and curves.png, the learning curves on dev. Prints
the table. The best combination is marked. Test is never evaluated. With --folds, the
metrics are measured on the folds, and the table contains the 95 % interval of their
mean.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from dsa.commands.options import add_data_root, add_out, add_set, make_parser
from dsa.jobs.executor_options import add_executor_arguments, choose_executor
from dsa.parsing import parse_integer
from dsa.runs.outputs import choose_output
from dsa.system.command_line import bounded, command, count_number, seed_number
from dsa.system.folders import data_root
from dsa.system.terminal import log_to_stream


@command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser(__doc__)
    parser.add_argument("config", help="YAML file of the experiment")
    parser.add_argument(
        "--seeds",
        nargs="+",
        type=seed_number,
        default=[],
        metavar="N",
        help="one run per seed (default: the seed of the config)",
    )
    parser.add_argument(
        "--grid",
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=V,V",
        help="setting with its values, or with uniform(A,B) or log(A,B)",
    )
    parser.add_argument(
        "--runs-at-most",
        type=count_number,
        metavar="N",
        help="number of random runs (default: all combinations)",
    )
    parser.add_argument(
        "--folds",
        type=bounded(parse_integer, 2, 1000),
        metavar="K",
        help="cross-validation over the training file",
    )
    add_set(parser)
    add_data_root(parser)
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="folder of runs (default: runs)"
    )
    add_out(parser, "output folder for the table (default: beside the runs)")
    add_executor_arguments(parser)
    options = parser.parse_args(arguments)
    executor = choose_executor(options)
    if not executor.runs_jobs:
        # the executor `print` writes the job commands to standard output
        log_to_stream(sys.stderr)

    from dsa.sweeps.grid import name_folder, parse_grid, plan_grid
    from dsa.sweeps.grid_results import sweep

    grid = parse_grid(options.grid)
    root = data_root(options.data_root)
    plans = plan_grid(
        options.config,
        options.seeds,
        grid,
        options.set,
        root,
        options.folds,
        options.runs_at_most,
    )
    default_folder = name_folder(
        options.config, grid, options.set, options.runs, options.folds
    )
    out = choose_output(options.out, options.force, default_folder)
    table = sweep(plans, options.runs, root, executor, out, bool(options.folds))
    if table is not None:
        print(table)
