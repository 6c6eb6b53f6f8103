"""A table from its start, the runs that it needs, to its end, two files."""

import dataclasses
import logging
from pathlib import Path

from dsa.errors import InputError
from dsa.papers.comparison import compare_rows
from dsa.papers.comparison_text import comparison_text
from dsa.papers.plans import choose_rows, plan_runs
from dsa.papers.tables.registry import table_named
from dsa.storage.atomic_files import write_atomically
from dsa.storage.text_tables import comma_separated
from dsa.sweeps.finished_runs import Runs
from dsa.sweeps.processes import complete_runs

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Folders:
    """The folders that a table is made from and written to.

    Args:
        checkout: with `configs/`.
        data: the data root.
        runs: where runs are looked for, and where new ones go.
        tables: where the table is written.
    """

    checkout: Path
    data: Path
    runs: Path
    tables: Path


def make_table(name, preset, seeds, folders, rows=None, train=True):
    """Run what a table needs, and write the table.

    Args:
        name: of the table.
        preset: which settings are changed.
        seeds: of the runs.
        folders: a `Folders`.
        rows: names of the rows that are trained; `None` for all.
        train: `False` to use only what finished runs hold.

    Returns: the table as Markdown. It is in `NAME-PRESET.md` too, and its numbers in
        `NAME-PRESET.csv`.

    Raises: `InputError` for an unknown name, preset or row, a seed that is given
        twice, a folder of runs that does not exist and is not filled, and a run that
        fails.
    """
    if len(set(seeds)) < len(seeds):
        raise InputError("--seeds: a seed is given twice")
    table = table_named(name)
    if not train and not folders.runs.is_dir():
        raise InputError(f"--runs: no such folder: {folders.runs}")
    plans = plan_runs(table, preset, seeds, folders.checkout)
    chosen = choose_rows(plans, rows)
    if train:
        complete_runs(chosen, table.splits, folders.runs, folders.data)
    compared = compare_rows(table, _find_runs(plans, folders), folders.data, preset)
    text = comparison_text(table, compared)
    folders.tables.mkdir(parents=True, exist_ok=True)
    records = comma_separated([row.as_record() for row in compared])
    write_atomically(folders.tables / f"{name}-{preset}.csv", records)
    write_atomically(folders.tables / f"{name}-{preset}.md", text)
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
