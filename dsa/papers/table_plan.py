"""The plan of a table: missing files, rows, finished runs and estimated time."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dsa.backends.device_check import list_cards
from dsa.errors import InputError
from dsa.jobs.execute import describe_seconds
from dsa.papers.missing_files import MissingFiles, list_missing_files
from dsa.papers.planning import find_runs
from dsa.papers.table import Table
from dsa.papers.time_estimates import (
    Estimate,
    estimate,
    estimate_by_steps,
    list_runs_of_this_machine,
)
from dsa.sweeps.finished_runs import Runs
from dsa.sweeps.planned_runs import Plan


@dataclasses.dataclass(frozen=True)
class TablePlan:
    """The plan of a table.

    Args:
        table: the table.
        plans: the planned runs in training order.
        unfinished: the planned runs that are not finished.
        estimates: estimated time of a run, by row.
        missing: missing files of the unfinished runs and of the evaluations.
        root: the data root.
    """

    table: Table
    plans: Sequence[Plan]
    unfinished: Sequence[Plan]
    estimates: Mapping[str, Estimate]
    missing: Sequence[MissingFiles]
    root: Path

    def add_estimates(self, plans: Iterable[Plan]) -> list[Plan]:
        """Returns plans with the estimated seconds of their rows."""
        return [
            dataclasses.replace(plan, seconds=self.estimates[plan.row].seconds)
            for plan in plans
        ]

    @property
    def seconds(self) -> float:
        """Estimated seconds of the unfinished runs with an estimate."""
        return sum(self.estimates[plan.row].seconds or 0 for plan in self.unfinished)

    def describe(self) -> str:
        """Returns the plan as text: missing files, rows and time."""
        return "\n\n".join(
            [
                f"{self.table.title}: {_count(len(self.plans), 'run')}, "
                f"{len(self.plans) - len(self.unfinished)} finished",
                self.describe_missing(),
                self._describe_rows(),
                self._describe_time(),
            ]
        )

    def describe_missing(self) -> str:
        """Returns the missing files with their downloads."""
        if not self.missing:
            return f"All files are below the data root, {self.root}."
        total = sum(missing.bytes for missing in self.missing) / 1e9
        lines = [
            f"Missing below the data root, {self.root} ({total:.1f} GB to download):"
        ]
        lines += [f"  {missing.describe()}" for missing in self.missing]
        return "\n".join(lines)

    def check_files(self) -> None:
        """Raises `InputError`, with the commands that provide them, if files that
        training needs are missing."""
        needed = [missing for missing in self.missing if not missing.optional]
        if not needed:
            return
        commands = [missing.command for missing in needed if missing.command]
        files = [file for missing in needed for file in missing.files]
        how = f" First: {'; '.join(commands)}" if commands else ""
        raise InputError(
            f"training needs files that are not below the data root {self.root}: "
            f"{', '.join(files)}.{how}"
        )

    def _describe_rows(self) -> str:
        left = {plan.path for plan in self.unfinished}
        rows = []
        for _, group in itertools.groupby(self.plans, lambda plan: plan.row):
            plans = list(group)
            finished = sum(plan.path not in left for plan in plans)
            expected = self.estimates[plans[0].row]
            time, source = _describe_hours(expected.seconds), expected.source
            if finished == len(plans):
                time = source = "-"
            rows.append(
                (
                    "/".join(Path(plans[0].config).with_suffix("").parts[-2:]),
                    f"{finished} of {len(plans)}",
                    time,
                    source,
                    plans[0].title or plans[0].row,
                )
            )
        return _align([("config", "finished", "a run", "estimated by", "row"), *rows])

    def _describe_time(self) -> str:
        if not self.unfinished:
            return "Nothing is left to train."
        rows_left = {plan.row for plan in self.unfinished}
        unknown = {row for row in rows_left if self.estimates[row].seconds is None}
        text = f"Left: {_count(len(self.unfinished), 'run')}, "
        if unknown == rows_left:
            text += "without an estimate."
        elif unknown:
            text += (
                f"about {_describe_hours(self.seconds)} without the "
                f"{_count(len(unknown), 'row')} that have no estimate."
            )
        else:
            text += f"about {_describe_hours(self.seconds)}; less if runs stop early."
        sources = {self.estimates[row] for row in rows_left}
        if any(source.improves and source.seconds for source in sources):
            text += "\nThe paper's seconds are those of its own hardware."
            if not list_cards():
                text += " This machine has no GPU: expect several times as long."
        if any(source.improves for source in sources):
            text += (
                "\nWith --measure, some training steps of each network give an "
                "estimate for this machine, in about a\nminute each."
            )
        return text


def plan_table(
    table: Table,
    plans: Sequence[Plan],
    runs: Path,
    root: Path,
    measure: bool = False,
) -> TablePlan:
    """Returns the plan of a table.

    Args:
        table: the table.
        plans: the planned runs in training order.
        runs: folder of finished and new runs.
        root: the data root.
        measure: whether to train some steps of each network without finished runs. No
            step is measured if files are missing.
    """
    _, unfinished = find_runs(plans, runs, root)
    names = {plan.path for plan in unfinished}
    missing = list_missing_files(
        [plan.experiment for plan in unfinished], table.splits, root
    )
    finished = list_runs_of_this_machine(Runs(runs, root).list_finished())
    can_train = not any(not file.optional for file in missing)
    estimates: dict[str, Estimate] = {}
    for plan in plans:
        if plan.row in estimates:
            continue
        expected = estimate(plan, table, finished, root)
        if measure and can_train and expected.improves and plan.path in names:
            expected = estimate_by_steps(plan, root) or expected
        estimates[plan.row] = expected
    return TablePlan(table, plans, unfinished, estimates, missing, root)


def _align(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows as lines with columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def _describe_hours(seconds: float | None) -> str:
    return "unknown" if seconds is None else describe_seconds(seconds)
