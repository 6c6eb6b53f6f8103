"""Rows of which a paper reports the best of several settings and does not say which:
dev chooses ours."""

import dataclasses
import logging
import statistics

from dsa.jobs.local import ONE_BY_ONE
from dsa.papers.plans import plan_runs
from dsa.sweeps.finished_runs import Runs, read_evaluations
from dsa.sweeps.run_jobs import complete_runs

log = logging.getLogger(__name__)


def choose_swept_rows(table, preset, seeds, folders, rows=None, train=ONE_BY_ONE):
    """The same table with the best setting of each swept row.

    Each setting is trained with every seed and evaluated on dev, never on test; the
    best mean accuracy on dev is chosen, the first one of equal ones.

    Args:
        table, preset, seeds: as those of `plan_runs`.
        folders: a `Folders`.
        rows: names of the rows that are trained; `None` for all.
        train: the executor that trains missing runs, see `dsa.jobs`; `None` to use only
            what finished runs hold, then a row of which a run, or its evaluation on
            dev, is missing stays as it is.

    Returns: a `Table`; its notes say what was chosen, and every mean.
    """
    chosen, notes = [], list(table.notes)
    for row in table.rows:
        asked = rows is None or row.name in rows
        means = {}
        if row.sweep and asked:
            means = _measure(table, row, preset, seeds, folders, train)
        if means:
            best = max(means, key=means.get)
            notes.append(_describe(row, means, best))
            row = dataclasses.replace(row, overrides=row.sweep[best])
        chosen.append(row)
    return dataclasses.replace(table, rows=tuple(chosen), notes=tuple(notes))


def _measure(table, row, preset, seeds, folders, train):
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
        evaluations = [
            run and read_evaluations(run, folders.data).get("dev") for run in runs
        ]
        if None in evaluations:
            log.info("no finished run with its dev evaluation: %s", swept.name)
            return {}
        means[name] = statistics.mean(entry["accuracy"] for entry in evaluations)
    return means


def _describe(row, means, best):
    every = ", ".join(f"{name} {100 * mean:.2f} %" for name, mean in means.items())
    return (
        f"{row.name}: the paper reports the best of {len(means)} settings. Here dev "
        f"chose {best}; accuracy on dev: {every}."
    )
