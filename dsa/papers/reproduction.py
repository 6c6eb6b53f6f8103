"""A table from its start, the runs that it needs, to its end, two files."""

import dataclasses
import logging
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.outputs import OutputFolder
from dsa.jobs.local import ONE_BY_ONE
from dsa.papers.comparison import compare_rows
from dsa.papers.comparison_text import comparison_text
from dsa.papers.plans import choose_rows, plan_runs
from dsa.papers.swept_rows import choose_swept_rows
from dsa.papers.tables.registry import table_named
from dsa.sweeps.finished_runs import Runs
from dsa.sweeps.run_jobs import complete_runs
from dsa.system.atomic_files import write_atomically
from dsa.system.text_tables import comma_separated

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Folders:
    """The folders that a table is made from and written to.

    Args:
        checkout: with `configs/`.
        data: the data root.
        runs: where runs are looked for, and where new ones go.
        tables: the `OutputFolder` that the table is written to.
    """

    checkout: Path
    data: Path
    runs: Path
    tables: OutputFolder


def make_table(name, preset, seeds, folders, rows=None, train=ONE_BY_ONE, sweep=False):
    """Run what a table needs, and write the table.

    Args:
        name: of the table.
        preset: which settings are changed.
        seeds: of the runs.
        folders: a `Folders`.
        rows: names of the rows that are trained; `None` for all.
        train: the executor that trains missing runs, see `dsa.jobs`; `None` to use only
            what finished runs hold.
        sweep: whether dev chooses among the settings of `Row.sweep`, where a row has
            them; else the config's are taken.

    Returns: the table as Markdown. It is in `NAME-PRESET.md` too, and its numbers in
        `NAME-PRESET.csv`. `None` if the executor only shows the jobs of the runs.

    Raises: `InputError` for an unknown name, preset or row, a seed that is given
        twice, a folder of runs that does not exist and is not filled, and a run that
        fails; and where a table that is there would be replaced by one without runs.
    """
    files = (f"{name}-{preset}.csv", f"{name}-{preset}.md")
    folders.tables.refuse(files)
    if len(set(seeds)) < len(seeds):
        raise InputError("--seeds: a seed is given twice")
    table = table_named(name)
    if not train and not folders.runs.is_dir():
        raise InputError(f"--runs: no such folder: {folders.runs}")
    if sweep:
        table = choose_swept_rows(table, preset, seeds, folders, rows, train)
    plans = plan_runs(table, preset, seeds, folders.checkout)
    chosen = choose_rows(plans, rows)
    if train and not complete_runs(
        chosen, table.splits, folders.runs, folders.data, train
    ):
        return None
    runs = _find_runs(plans, folders)
    records_file, text_file = (folders.tables.path / file for file in files)
    if not runs and text_file.exists():
        raise InputError(
            f"{text_file} stays as it is: {folders.runs} has no finished run of it"
        )
    compared = compare_rows(table, runs, folders.data, preset)
    text = comparison_text(table, compared)
    records = comma_separated([row.as_record() for row in compared])
    folders.tables.open(files)
    write_atomically(records_file, records)
    write_atomically(text_file, text)
    return text


def _find_runs(plans, folders):
    """`{row name: [RunFolder, ...]}` of the finished runs."""
    finished, runs = Runs(folders.runs, folders.data), {}
    for plan in plans:
        run = finished.find(plan.experiment)
        if run is None:
            log.info("no finished run: %s", plan.name)
        else:
            runs.setdefault(plan.row, []).append(run)
    return runs
