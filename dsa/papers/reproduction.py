"""Reproduction of a table: trains its runs and compares them with the paper."""

import dataclasses
import logging
import statistics
from collections.abc import Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.jobs.local import ONE_BY_ONE, Executor
from dsa.papers.comparison import compare_rows, records_to_csv
from dsa.papers.comparison_text import format_comparison
from dsa.papers.planning import choose_rows, find_finished_runs, order_plans, plan_runs
from dsa.papers.table import Row, Table
from dsa.papers.table_files import find_table
from dsa.papers.table_plan import TablePlan, plan_table
from dsa.runs.outputs import OutputFolder
from dsa.sweeps.finished_runs import RunIndex, read_evaluations
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
        tables: output folder for the table.
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
    executor: Executor | None = ONE_BY_ONE,
    sweep: bool = False,
    plan: TablePlan | None = None,
) -> str | None:
    """Trains the missing runs of a table and compares all runs with the paper.

    The table is written to `NAME-PRESET.md` and `NAME-PRESET.csv`.

    Args:
        name: name of the table.
        preset: name of the preset.
        seeds: seeds of each row.
        folders: input and output folders.
        rows: names of the rows to train, see `choose_rows`; `None` for all rows.
        executor: executor that trains the missing runs, see `dsa.jobs`. `None` compares
            only finished runs.
        sweep: whether to select the best setting of each `Row.sweep` on dev. If
            `False`, the settings of the configs are used.
        plan: plan with time estimates, to log the remaining time after each job.

    Returns: the table as Markdown; `None` if the executor only prints jobs.

    Raises: `InputError` if a name, preset or row is unknown, seeds are repeated, the
        folder of runs is missing and `executor` is `None`, a run has failed, or an
        existing table would be overwritten by a table without runs.
    """
    files = list_table_files(name, preset)
    folders.tables.check(files)
    _check_seeds(seeds)
    table = find_table(name)
    if not executor and not folders.runs.is_dir():
        raise InputError(f"--runs: folder {folders.runs} does not exist")
    if sweep:
        table = choose_swept_rows(table, preset, seeds, folders, rows, executor)
    plans = plan_runs(table, preset, seeds, folders.checkout)
    plans_to_train = order_plans(choose_rows(plans, rows), table)
    if plan:
        plans_to_train = plan.add_estimates(plans_to_train)
    if executor:
        is_complete = complete_runs(
            plans_to_train, table.splits, folders.runs, folders.data, executor
        )
        if not is_complete:
            return None
    runs, missing_plans = find_finished_runs(plans, folders.runs, folders.data)
    for missing_plan in missing_plans:
        log.info("no finished run: %s", missing_plan.name)
    records_file, text_file = (folders.tables.path / file for file in files)
    if not runs and text_file.exists():
        raise InputError(
            f"{folders.runs} contains no finished run of this table. {text_file} was "
            "not overwritten"
        )
    records = compare_rows(table, runs, folders.data, preset)
    text = format_comparison(table, records)
    folders.tables.open(files)
    write_atomically(records_file, records_to_csv(records))
    write_atomically(text_file, text)
    return text


def list_table_files(name: str, preset: str) -> tuple[str, str]:
    """Returns the file names of a table in CSV and in Markdown."""
    return f"{name}-{preset}.csv", f"{name}-{preset}.md"


def make_plan(
    name: str,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    rows: Sequence[str] | None = None,
    measure: bool = False,
    sweep: bool = False,
) -> TablePlan:
    """Returns the plan of a table.

    Args:
        name, preset, seeds, folders, rows, sweep: see `make_table`. With `sweep`, each
            setting of a swept row is a row of the plan.
        measure: see `plan_table`.
    """
    _check_seeds(seeds)
    table = find_table(name)
    plans = choose_rows(plan_runs(table, preset, seeds, folders.checkout), rows)
    if sweep:
        chosen_rows = {plan.row for plan in plans}
        planned_rows: list[Row] = []
        for row in table.rows:
            if row.name in chosen_rows:
                planned_rows += row.swept_rows().values() or [row]
        table = dataclasses.replace(table, rows=tuple(planned_rows))
        plans = plan_runs(table, preset, seeds, folders.checkout)
    return plan_table(
        table, order_plans(plans, table), folders.runs, folders.data, measure
    )


def _check_seeds(seeds):
    if len(set(seeds)) < len(seeds):
        raise InputError(f"--seeds must be distinct. Received: {[*seeds]}")


def choose_swept_rows(
    table: Table,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    rows: Sequence[str] | None = None,
    executor: Executor | None = ONE_BY_ONE,
) -> Table:
    """Returns a copy of a table with the best setting of each swept row.

    Each setting is trained with every seed and evaluated on dev, never on test. The
    setting with the highest mean dev accuracy is selected, or the first one of a tie.
    The notes of the returned table contain the selection and all means.

    Args:
        table: the table.
        preset: name of the preset.
        seeds: seeds of each setting.
        folders: input and output folders.
        rows: names of the rows to train, see `choose_rows`; `None` for all rows.
        executor: executor that trains the missing runs. `None` uses only finished runs;
            rows with missing runs or dev evaluations are then unchanged.

    Raises: `InputError` if no row has one of the names.
    """
    plans = choose_rows(plan_runs(table, preset, seeds, folders.checkout), rows)
    chosen_rows = {plan.row for plan in plans}
    new_rows = []
    notes = list(table.notes)
    for row in table.rows:
        means = {}
        if row.sweep and row.name in chosen_rows:
            means = _measure_settings(table, row, preset, seeds, folders, executor)
        if means:
            best = max(means, key=lambda name: means[name])
            all_means = ", ".join(
                f"{name} {100 * mean:.2f} %" for name, mean in means.items()
            )
            notes.append(
                f"{row.name}: the paper reports the best of {len(means)} settings. "
                f"Here dev chose {best}; accuracy on dev: {all_means}."
            )
            row = dataclasses.replace(row, overrides=row.sweep[best])
        new_rows.append(row)
    return dataclasses.replace(table, rows=tuple(new_rows), notes=tuple(notes))


def _measure_settings(
    table: Table,
    row: Row,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    executor: Executor | None,
) -> dict[str, float]:
    """Returns `{setting: mean dev accuracy}`, or `{}` if a run or its dev evaluation is
    missing."""
    means = {}
    for name, swept_row in row.swept_rows().items():
        one_row = dataclasses.replace(table, rows=(swept_row,))
        plans = plan_runs(one_row, preset, seeds, folders.checkout)
        if executor:
            complete_runs(plans, ("dev",), folders.runs, folders.data, executor)
        index = RunIndex.scan(folders.runs, folders.data)
        accuracies = []
        for plan in plans:
            run = index.find(plan.experiment)
            evaluations = read_evaluations(run, folders.data) if run else {}
            if "dev" not in evaluations:
                log.info("no finished run with a dev evaluation: %s", swept_row.name)
                return {}
            accuracies.append(evaluations["dev"]["accuracy"])
        means[name] = statistics.mean(accuracies)
    return means
