"""Plan of a table: missing files, rows, finished runs and estimated training time."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dsa.backends.device_check import list_cards
from dsa.errors import InputError
from dsa.jobs.execute import describe_seconds
from dsa.papers.missing_files import MissingFiles, list_missing_files
from dsa.papers.planning import find_finished_runs
from dsa.papers.table import Table
from dsa.papers.time_estimates import (
    Estimate,
    estimate_by_steps,
    estimate_time,
    list_local_runs,
)
from dsa.sweeps.finished_runs import RunIndex
from dsa.sweeps.planned_runs import Plan


@dataclasses.dataclass(frozen=True)
class TablePlan:
    """Plan of a table.

    Args:
        table: the table.
        plans: the planned runs in training order.
        unfinished: the unfinished runs.
        estimates: estimated training time of one run of each row, by row name.
        missing: files that the unfinished runs and their evaluations require and that
            are not in the data root.
        root: the data root.
    """

    table: Table
    plans: Sequence[Plan]
    unfinished: Sequence[Plan]
    estimates: Mapping[str, Estimate]
    missing: Sequence[MissingFiles]
    root: Path

    def add_estimates(self, plans: Iterable[Plan]) -> list[Plan]:
        """Returns copies of plans with the estimated seconds of their rows.

        A row without an estimate, such as the selected setting of a sweep, has none.
        """
        seconds = {row: estimate.seconds for row, estimate in self.estimates.items()}
        return [
            dataclasses.replace(plan, seconds=seconds.get(plan.row)) for plan in plans
        ]

    @property
    def seconds(self) -> float:
        """Sum of the estimated seconds of the unfinished runs.

        Runs without an estimate count as 0 seconds.
        """
        return sum(self.estimates[plan.row].seconds or 0 for plan in self.unfinished)

    def describe(self) -> str:
        """Returns the plan as text: missing files, rows and time."""
        return "\n\n".join(
            [
                f"{self.table.title}: {_format_count(len(self.plans), 'run')}, "
                f"{len(self.plans) - len(self.unfinished)} finished",
                self.describe_missing(),
                self._describe_rows(),
                self._describe_time(),
            ]
        )

    def describe_missing(self) -> str:
        """Returns the missing files with their download commands as text."""
        if not self.missing:
            return f"All files are below the data root, {self.root}."
        gigabytes = sum(missing.download_bytes for missing in self.missing) / 1e9
        lines = [
            f"Missing below the data root, {self.root} ({gigabytes:.1f} GB to "
            "download):"
        ]
        lines += [f"  {missing.describe()}" for missing in self.missing]
        return "\n".join(lines)

    def check_files(self) -> None:
        """Checks that all files that are required for training exist.

        Raises: `InputError` with the missing files and the commands that write them.
        """
        required = [missing for missing in self.missing if not missing.optional]
        if not required:
            return
        commands = [missing.command for missing in required if missing.command]
        files = [file for missing in required for file in missing.files]
        remedy = f" Run: {'; '.join(commands)}" if commands else ""
        raise InputError(
            f"files for training are missing in the data root {self.root}: "
            f"{', '.join(files)}.{remedy}"
        )

    def _describe_rows(self) -> str:
        """Returns a table of the rows: config, finished runs and estimated time."""
        unfinished = {plan.path for plan in self.unfinished}
        rows = []
        for _, group in itertools.groupby(self.plans, lambda plan: plan.row):
            plans = list(group)
            finished = sum(plan.path not in unfinished for plan in plans)
            if finished == len(plans):
                time, source = "-", "-"
            else:
                estimate = self.estimates[plans[0].row]
                time, source = _format_time(estimate.seconds), estimate.source
            rows.append(
                (
                    "/".join(Path(plans[0].config).with_suffix("").parts[-2:]),
                    f"{finished} of {len(plans)}",
                    time,
                    source,
                    plans[0].title or plans[0].row,
                )
            )
        header = ("config", "finished", "a run", "estimated by", "row")
        return _align_columns([header, *rows])

    def _describe_time(self) -> str:
        """Returns the estimated time of the unfinished runs as text."""
        if not self.unfinished:
            return "Nothing is left to train."
        rows = {plan.row for plan in self.unfinished}
        unknown = {row for row in rows if self.estimates[row].seconds is None}
        text = f"Left: {_format_count(len(self.unfinished), 'run')}, "
        if unknown == rows:
            text += "without an estimate."
        elif unknown:
            text += (
                f"about {_format_time(self.seconds)} without the "
                f"{_format_count(len(unknown), 'row')} that have no estimate."
            )
        else:
            text += f"about {_format_time(self.seconds)}; less if runs stop early."
        improvable = [
            self.estimates[row] for row in rows if self.estimates[row].is_improvable
        ]
        if any(estimate.seconds for estimate in improvable):
            text += "\nThe seconds of the paper were measured on the authors' hardware."
            if not list_cards():
                text += " This machine has no GPU and may need several times as long."
        if improvable:
            text += (
                "\nTo estimate the time on this machine from some training steps of "
                "each network, add\n--measure. This takes about a minute per network."
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
        measure: whether to measure some training steps of networks without finished
            runs, to estimate their training time. Nothing is measured if required files
            are missing.
    """
    _, unfinished = find_finished_runs(plans, runs, root)
    unfinished_paths = {plan.path for plan in unfinished}
    missing = list_missing_files(
        [plan.experiment for plan in unfinished], table.splits, root
    )
    local_runs = list_local_runs(RunIndex.scan(runs, root).list_finished())
    can_train = all(files.optional for files in missing)
    estimates: dict[str, Estimate] = {}
    for plan in plans:
        if plan.row in estimates:
            continue
        estimate = estimate_time(plan, table, local_runs, root)
        is_unfinished = plan.path in unfinished_paths
        if measure and can_train and estimate.is_improvable and is_unfinished:
            estimate = estimate_by_steps(plan, root) or estimate
        estimates[plan.row] = estimate
    return TablePlan(table, plans, unfinished, estimates, missing, root)


def _align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Returns one line of text per row, with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _format_count(count: int, noun: str) -> str:
    """Returns a count with its noun, such as "1 run" or "2 runs"."""
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def _format_time(seconds: float | None) -> str:
    return "unknown" if seconds is None else describe_seconds(seconds)
