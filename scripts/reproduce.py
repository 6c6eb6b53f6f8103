"""Run what a table of a paper needs, and write the table with the paper's numbers.

    python scripts/reproduce.py dsa-1 --seeds 13 14 15
    python scripts/reproduce.py dsa-ablations --preset subset40k
    python scripts/reproduce.py dsa-2 --preset partial --no-training

Tables: dsa-1, disan-1, aesim-2 (SNLI), dsa-2, disan-3, aesim-3 (MultiNLI), disan-2
(SST-5), disan-4 (SICK), disan-5-trec, disan-5-cr, disan-5-mpqa, disan-5-subj, aesim-4
(Quora), dsa-ablations, snli-models (the models of this project on SNLI), stsb (STS-B).
Finished runs are found by their resolved config and data, others are trained one after
the other, each in a process of its own, of all rows or of those that `--rows` names;
interrupted, the same command goes on where it was. CR, MPQA and SUBJ are ten runs a
seed, one a fold. Each run is evaluated once on every split of the table that is at
hand. Writes results/tables/TABLE-PRESET.md and .csv and prints the former.

Presets: full (the published settings); partial (what there is of SNLI or MultiNLI, 50-d
vectors with a projection to 300, 5 or 4 epochs; MultiNLI with 40,000 pairs of SNLI);
subset40k (40,000 SNLI pairs, 4 epochs); small (the other corpora, with these vectors,
3,000 steps, or 500 a fold; SST-5 by whole sentences). Partial data are marked in the
table.
"""

import argparse
import logging
import subprocess
import sys
from pathlib import Path

from dsa.command_line import command
from dsa.errors import InputError
from dsa.papers.plans import choose_rows, plan_runs
from dsa.papers.presets import FULL
from dsa.papers.tables.registry import TABLES, list_presets, table_named
from dsa.storage.atomic_files import write_atomically
from dsa.storage.folders import data_root
from dsa.storage.text_tables import comma_separated
from dsa.sweeps.finished_runs import Runs, find_missing_splits
from dsa.sweeps.plans import write_assignments

log = logging.getLogger("dsa.reproduce")
CHECKOUT = Path(__file__).resolve().parents[1]


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[13], metavar="N")
    parser.add_argument("--preset", choices=list_presets(), default=FULL)
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--runs", default="runs", help="where runs are looked for")
    parser.add_argument(
        "--rows", nargs="+", metavar="NAME", help="train only these rows of the table"
    )
    parser.add_argument(
        "--no-training", action="store_true", help="only what finished runs hold"
    )
    parser.add_argument("--out", type=Path, default=Path("results/tables"))
    options = parser.parse_args(arguments)
    if len(set(options.seeds)) < len(options.seeds):
        raise InputError("--seeds: a seed is given twice")

    from dsa.papers.comparison import compare_rows
    from dsa.papers.comparison_text import comparison_text

    table, root = table_named(options.table), data_root(options.data_root)
    if options.no_training and not Path(options.runs).is_dir():
        raise InputError(f"--runs: no such folder: {options.runs}")
    plans = plan_runs(table, options.preset, options.seeds, CHECKOUT)
    wanted = choose_rows(plans, options.rows)
    if not options.no_training:
        _run(wanted, table, options, root)
    found, runs = Runs(options.runs, root), {}
    for plan in plans:
        run = found.find(plan.experiment)
        if run is None:
            log.info("no finished run: %s", plan.name)
        else:
            runs.setdefault(plan.row, []).append(run)
    rows = compare_rows(table, runs, root, options.preset)
    for suffix, text in (
        (".csv", comma_separated([row.as_record() for row in rows])),
        (".md", comparison_text(table, rows)),
    ):
        path = options.out / f"{options.table}-{options.preset}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    print(text)


def _run(plans, table, options, root):
    """Train and evaluate what is missing."""
    found = Runs(options.runs, root)
    for number, plan in enumerate(plans, start=1):
        log.info("%d of %d: %s", number, len(plans), plan.name)
        run = found.find(plan.experiment)
        if run is None:
            path = Path(options.runs, *plan.path.parts[1:])
            settings = ["--set", *write_assignments(plan.overrides)]
            _script(
                "train", plan.config, *settings, "--run", path, "--resume", root=root
            )
            run = Runs(path, root).find(plan.experiment)
            if run is None:
                raise InputError(f"{path}: finished, but not on the data at hand")
        for split in find_missing_splits(run, table.splits, root):
            _script("evaluate", run.path, "--split", split, root=root)


def _script(name, *arguments, root):
    """Run a script of ours in a process of its own, which gives its memory back."""
    script = Path(__file__).with_name(f"{name}.py")
    line = [sys.executable, script, *arguments, "--data-root", root]
    code = subprocess.run([str(each) for each in line]).returncode
    if code < 0 or code == 130:
        raise KeyboardInterrupt
    if code:
        raise InputError(f"{name}.py stopped with exit code {code}, see above")


if __name__ == "__main__":
    raise SystemExit(main())
