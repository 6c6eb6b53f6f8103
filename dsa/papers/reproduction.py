"""Reproduces a table: trains the missing runs and compares all runs with the paper."""

import dataclasses
import logging
import statistics
from collections.abc import Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.jobs.local import ONE_BY_ONE, Executor
from dsa.papers.comparison import compare_rows, records_to_csv
from dsa.papers.comparison_text import comparison_text
from dsa.papers.planning import choose_rows, find_runs, order_plans, plan_runs
from dsa.papers.table import Row, Table
from dsa.papers.table_files import find_table
from dsa.papers.table_plan import TablePlan, plan_table
from dsa.runs.outputs import OutputFolder
from dsa.sweeps.finished_runs import Runs, read_evaluations
from dsa.sweeps.planned_runs import complete_runs
from dsa.system.atomic_files import write_atomically

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Folders:
    """Input and output folders of a reproduction.

    Args:
        checkout: folder that contains `configs/`.
        data: the data root.
        runs: folder of finished and new runs.
        tables: output folder of the table.
    """

    checkout: Path
    data: Path
    runs: Path
    tables: OutputFolder


def make_table(  # noqa: PLR0913
    name: str,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    rows: Sequence[str] | None = None,
    train: Executor | None = ONE_BY_ONE,
    sweep: bool = False,
    plan: TablePlan | None = None,
) -> str | None:
    """Completes the runs of a table and writes `NAME-PRESET.md` and `NAME-PRESET.csv`.

    Args:
        name: name of the table.
        preset: name of the preset.
        seeds: seeds of each row.
        folders: input and output folders.
        rows: names of the rows to train, see `choose_rows`; `None` for all.
        train: executor of the missing runs, see `dsa.jobs`; `None` compares finished
            runs only.
        sweep: whether dev selects among the settings of `Row.sweep`; otherwise these
            rows keep the settings of their configs.
        plan: the plan, whose estimates give the remaining time after each job.

    Returns: the table as Markdown; `None` if the executor only prints jobs.

    Raises: `InputError` for an unknown name, preset or row, a repeated seed, a missing
        folder of runs without training, a failed run, and if a table without runs would
        overwrite an existing table.
    """
    files = list_table_files(name, preset)
    folders.tables.check(files)
    _check_seeds(seeds)
    table = find_table(name)
    if not train and not folders.runs.is_dir():
        raise InputError(f"--runs: no such folder: {folders.runs}")
    if sweep:
        table = choose_swept_rows(table, preset, seeds, folders, rows, train)
    plans = plan_runs(table, preset, seeds, folders.checkout)
    chosen = choose_rows(plans, rows)
    if plan:
        chosen = plan.add_estimates(chosen)
    chosen = order_plans(chosen, table)
    if train and not complete_runs(
        chosen, table.splits, folders.runs, folders.data, train
    ):
        return None
    runs, missing = find_runs(plans, folders.runs, folders.data)
    for lacking in missing:
        log.info("no finished run: %s", lacking.name)
    records_file, text_file = (folders.tables.path / file for file in files)
    if not runs and text_file.exists():
        raise InputError(
            f"{text_file} is not overwritten: {folders.runs} contains no finished run "
            "of this table"
        )
    records = compare_rows(table, runs, folders.data, preset)
    text = comparison_text(table, records)
    folders.tables.open(files)
    write_atomically(records_file, records_to_csv(records))
    write_atomically(text_file, text)
    return text


def list_table_files(name: str, preset: str) -> tuple[str, str]:
    """Returns the names of the CSV and the Markdown file of a table."""
    return f"{name}-{preset}.csv", f"{name}-{preset}.md"


def make_plan(
    name: str,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    rows: Sequence[str] | None = None,
    measure: bool = False,
) -> TablePlan:
    """Returns the plan of a table, see `plan_table`. Arguments as in `make_table`."""
    _check_seeds(seeds)
    table = find_table(name)
    plans = choose_rows(plan_runs(table, preset, seeds, folders.checkout), rows)
    return plan_table(
        table, order_plans(plans, table), folders.runs, folders.data, measure
    )


def _check_seeds(seeds):
    if len(set(seeds)) < len(seeds):
        raise InputError("--seeds: a seed is given twice")


def choose_swept_rows(
    table: Table,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    rows: Sequence[str] | None = None,
    train: Executor | None = ONE_BY_ONE,
) -> Table:
    """Returns a copy of a table with the best settings of each swept row.

    Each setting is trained with every seed and evaluated on dev, never on test. The
    highest mean dev accuracy is selected, the first setting in case of a tie. The notes
    of the returned table contain the selection and all means.

    Args:
        table: the table.
        preset: name of the preset.
        seeds: seeds of each setting.
        folders: input and output folders.
        rows: names of the rows to train; `None` for all.
        train: executor of the missing runs; `None` uses finished runs only, and leaves
            a row unchanged if a run or its dev evaluation is missing.
    """
    chosen, notes = [], list(table.notes)
    for row in table.rows:
        means = {}
        if row.sweep and (rows is None or row.name in rows):
            means = _measure_settings(table, row, preset, seeds, folders, train)
        if means:
            best = max(means, key=lambda name: means[name])
            every = ", ".join(f"{n} {100 * mean:.2f} %" for n, mean in means.items())
            notes.append(
                f"{row.name}: the paper reports the best of {len(means)} settings. "
                f"Here dev chose {best}; accuracy on dev: {every}."
            )
            row = dataclasses.replace(row, overrides=row.sweep[best])
        chosen.append(row)
    return dataclasses.replace(table, rows=tuple(chosen), notes=tuple(notes))


def _measure_settings(
    table: Table,
    row: Row,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    train: Executor | None,
) -> dict[str, float]:
    """Returns `{setting: mean dev accuracy}`; empty if a run is missing."""
    means = {}
    for name, overrides in row.sweep.items():
        swept = dataclasses.replace(
            row, name=f"{row.name}, {name}", overrides=overrides
        )
        one_row = dataclasses.replace(table, rows=(swept,))
        plans = plan_runs(one_row, preset, seeds, folders.checkout)
        if train:
            complete_runs(plans, ("dev",), folders.runs, folders.data, train)
        finished = Runs(folders.runs, folders.data)
        runs = [finished.find(plan.experiment) for plan in plans]
        devs = [read_evaluations(run, folders.data).get("dev") for run in runs if run]
        accuracies = [dev["accuracy"] for dev in devs if dev]
        if len(accuracies) < len(plans):
            log.info("no finished run with its dev evaluation: %s", swept.name)
            return {}
        means[name] = statistics.mean(accuracies)
    return means
