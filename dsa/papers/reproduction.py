"""Makes a table: the runs that it needs, the comparison, two files."""

import dataclasses
import itertools
import logging
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment, run_path
from dsa.jobs.local import ONE_BY_ONE, Executor
from dsa.papers.all_tables import table_named
from dsa.papers.comparison import compare_rows
from dsa.papers.comparison_text import comparison_text
from dsa.papers.paper_table import Table
from dsa.papers.presets import preset_overrides
from dsa.runs.outputs import OutputFolder
from dsa.runs.run_folder import RunFolder
from dsa.sweeps.finished_runs import Runs, read_evaluations
from dsa.sweeps.planned_runs import Plan, complete_runs
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
        tables: the folder that the table is written to.
    """

    checkout: Path
    data: Path
    runs: Path
    tables: OutputFolder


def make_table(
    name: str,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    rows: Sequence[str] | None = None,
    train: Executor | None = ONE_BY_ONE,
    sweep: bool = False,
) -> str | None:
    """Completes the runs that a table needs, and writes the table.

    Args:
        preset: which settings are changed.
        rows: names of the rows that are trained; `None` for all.
        train: the executor that trains missing runs, see `dsa.jobs`; `None` to use only
            finished runs.
        sweep: whether dev chooses among the settings of `Row.sweep`, where a row has
            them; else the config's are taken.

    Returns: the table as Markdown. It is in `NAME-PRESET.md` too, and its numbers in
        `NAME-PRESET.csv`. `None` if the executor only shows the jobs of the runs.

    Raises: `InputError` for an unknown name, preset or row, a seed that is given
        twice, a missing folder of runs without training, and a run that fails; and
        where a table that is there would be replaced by one without runs.
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
    runs, missing = find_runs(plans, folders.runs, folders.data)
    for plan in missing:
        log.info("no finished run: %s", plan.name)
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


def plan_runs(
    table: Table, preset: str, seeds: Iterable[int], checkout: Path
) -> list[Plan]:
    """Plans the runs that a table needs: one for each seed and fold of each row that
    is implemented.

    Args:
        preset: which settings are changed, see `dsa.papers.presets`.
        checkout: the folder that the tables' config paths are relative to.

    Raises: `InputError` for a preset that is not for this table.
    """
    folds = range(table.folds) if table.folds else [None]
    settings = preset_overrides(preset, table.corpus, table.presets)
    plans = []
    for row, seed, fold in itertools.product(table.rows, seeds, folds):
        if row.config is None:
            continue
        overrides = {**settings, **row.overrides, "seed": seed}
        if fold is not None:
            overrides["data.folds.fold"] = fold
        config = Path(checkout, row.config)
        experiment = load_experiment(config, overrides)
        path = run_path(row.config, overrides, seed)
        plans.append(Plan(row.name, config, overrides, experiment, path))
    return plans


def choose_rows(plans: list[Plan], names: Sequence[str] | None) -> list[Plan]:
    """Returns the plans whose rows have these names; all plans if `names` is `None`.

    Raises: `InputError` for a name that no plan has.
    """
    known = list(dict.fromkeys(plan.row for plan in plans))
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise InputError(
            f"--rows: no row '{unknown[0]}' to train. Known: "
            + ", ".join(f"'{name}'" for name in known)
        )
    return [plan for plan in plans if names is None or plan.row in names]


def find_runs(
    plans: Iterable[Plan], folder: Path, root: Path
) -> tuple[dict[str, list[RunFolder]], list[Plan]]:
    """Finds the finished runs of some plans below a folder.

    Args:
        folder: where runs are looked for.
        root: the data root.

    Returns: the runs by the name of their row, without rows that have none; and the
        plans that have no finished run.
    """
    finished, runs, missing = Runs(folder, root), {}, []
    for plan in plans:
        run = finished.find(plan.experiment)
        if run is None:
            missing.append(plan)
        else:
            runs.setdefault(plan.row, []).append(run)
    return runs, missing


def choose_swept_rows(
    table: Table,
    preset: str,
    seeds: Sequence[int],
    folders: Folders,
    rows: Sequence[str] | None = None,
    train: Executor | None = ONE_BY_ONE,
) -> Table:
    """Returns the same table with the best setting of each row for which a paper
    reports the best of several and does not say which.

    Each setting is trained with every seed and evaluated on dev, never on test; the
    best mean accuracy on dev is chosen, the first one of equal ones. The table's notes
    say what was chosen, and every mean.

    Args:
        table, preset, seeds: as those of `plan_runs`.
        rows: names of the rows that are trained; `None` for all.
        train: the executor that trains missing runs, see `dsa.jobs`; `None` to use only
            finished runs: then a row stays as it is if a run, or its evaluation on
            dev, is missing.
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


def _measure_settings(table, row, preset, seeds, folders, train) -> dict[str, float]:
    """`{name of a setting: mean accuracy on dev}`; empty if a run is missing."""
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
