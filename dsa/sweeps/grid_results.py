"""Table and figure of the dev metrics of a grid of runs."""

import dataclasses
import logging
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.plots import draw_curves
from dsa.jobs.execute import JobsFailed
from dsa.jobs.local import Executor
from dsa.runs.outputs import OutputFolder
from dsa.runs.run_records import read_curve
from dsa.sweeps.finished_runs import RunIndex, format_leakage_warnings, read_evaluations
from dsa.sweeps.fold_interval import compute_fold_interval
from dsa.sweeps.planned_runs import Plan, complete_runs
from dsa.system.atomic_files import write_atomically
from dsa.system.text_tables import format_csv, format_markdown_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE = "sweep.md"
CSV_TABLE = "sweep.csv"
CURVES = "curves"  # without the suffix of the figure format
Key = tuple[int, int | None]  # seed and fold; no fold without cross-validation
log = logging.getLogger(__name__)


def sweep(  # noqa: PLR0913
    plans: Sequence[Plan],
    folder: Path,
    root: Path,
    executor: Executor,
    out: OutputFolder,
    folds: bool = False,
) -> str | None:
    """Trains the runs of a grid and writes a table and a figure of their dev metrics.

    Args:
        plans: plans, from `dsa.sweeps.grid.plan_grid`.
        folder: folder of existing and new runs.
        root: the data root.
        executor: executor of the jobs, see `dsa.jobs`.
        out: output folder of the table and the figure.
        folds: whether the runs are folds of a cross-validation. These runs are compared
            by their metric on the rows of their fold.

    Returns: the table as Markdown; `None` if the executor only prints the jobs.

    Raises: `JobsFailed` if at least one job has failed. The results of the other runs
        are written before.
    """
    files = FigureFiles()
    names = (TABLE, CSV_TABLE, files.make_file_name(CURVES))
    out.check(names)
    splits = ("dev", "test") if folds else ("dev",)
    try:
        if not complete_runs(plans, splits, folder, root, executor):
            return None
    except JobsFailed:
        _write_results(GridResults(plans, folder, root, folds), out, files)
        raise
    return _write_results(GridResults(plans, folder, root, folds), out, files)


def _write_results(
    results: "GridResults", out: OutputFolder, files: FigureFiles
) -> str:
    """Writes the files of the results and returns the table as Markdown.

    Without a finished run, no file is written.
    """
    table = results.as_markdown()
    if not any(combination.values for combination in results.combinations):
        return table
    written = [TABLE, CSV_TABLE]
    out.open((*written, files.make_file_name(CURVES)))
    write_atomically(out.path / TABLE, table + "\n")
    write_atomically(out.path / CSV_TABLE, results.as_csv())
    figure = results.draw()
    if figure is not None:
        files.write(figure, out.path, CURVES)
        written.append(files.make_file_name(CURVES))
    log.info("written to %s: %s", out.path, ", ".join(written))
    return table


@dataclasses.dataclass(frozen=True)
class CombinationResults:
    """Results of the finished runs of a combination of settings.

    Args:
        name: name of the combination.
        values: metric of the selected checkpoint of each run, on dev or on the rows of
            the fold.
        curves: dev curve of each network whose history contains the metric, `(steps,
            metrics)`.
        num_planned: number of planned runs.
        num_folds: number of folds; 1 without cross-validation.
    """

    name: str
    values: dict[Key, float]
    curves: dict[Key, tuple]
    num_planned: int
    num_folds: int

    @property
    def is_complete(self) -> bool:
        """Whether all planned runs are finished."""
        return len(self.values) == self.num_planned

    @property
    def seeds(self) -> list[int]:
        """Seeds of the finished runs."""
        return list(dict.fromkeys(seed for seed, _ in self.values))

    @property
    def mean(self) -> float | None:
        """Mean over the runs, or `None` without a finished run."""
        return statistics.mean(self.values.values()) if self.values else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the mean over the folds, or `None` for a single fold.

        The value of a fold is the mean over its seeds.
        """
        values_by_fold: dict[int | None, list[float]] = {}
        for (_, fold), value in self.values.items():
            values_by_fold.setdefault(fold, []).append(value)
        if len(values_by_fold) < 2:
            return None
        return compute_fold_interval(
            [statistics.mean(values) for values in values_by_fold.values()],
            self.num_folds,
        )


class GridResults:
    """Dev metrics of the runs of a grid, or metrics on the rows of the folds.

    Args:
        plans: plans, from `plan_grid`.
        folder: folder of the runs.
        root: the data root.
        folds: see `sweep`.
    """

    def __init__(
        self, plans: Sequence[Plan], folder: Path, root: Path, folds: bool = False
    ):
        self.metric = plans[0].experiment.dev_metric
        self.folds = folds
        split = "test" if folds else "dev"
        index = RunIndex.scan(folder, root)
        num_planned = Counter(plan.row for plan in plans)
        num_folds = len({plan.overrides.get("data.folds.fold") for plan in plans})
        combinations = {
            name: CombinationResults(name, {}, {}, count, num_folds)
            for name, count in num_planned.items()
        }
        for plan in plans:
            run = index.find(plan.experiment)
            if run is None:
                continue
            evaluation = read_evaluations(run, root).get(split, {})
            if self.metric not in evaluation:
                continue
            fold = plan.overrides["data.folds.fold"] if folds else None
            key = (plan.overrides["seed"], fold)
            combinations[plan.row].values[key] = evaluation[self.metric]
            metrics = (plan.experiment.dev_metric, plan.experiment.task.selects)
            if plan.experiment.family.has_epochs and self.metric in metrics:
                curve = read_curve(run, f"val_{self.metric}")
                combinations[plan.row].curves[key] = curve
        self.combinations = list(combinations.values())
        self._warnings = format_leakage_warnings(
            selected_on_test=[
                plan.row for plan in plans if plan.experiment.data.select_on_test
            ],
            trained_on_dev=[
                plan.row for plan in plans if plan.experiment.data.train_on_dev
            ],
        )

    @property
    def best(self) -> CombinationResults | None:
        """Complete combination with the highest mean, or the first one of a tie.

        `None` if no combination is complete.
        """
        complete = [each for each in self.combinations if each.is_complete]
        return max(complete, key=lambda each: each.mean or 0, default=None)

    def as_markdown(self) -> str:
        """Returns the table as Markdown, with warnings about biased metrics."""
        header = ["setting", f"dev {self.metric}, mean", "range", "n", "seeds", ""]
        if self.folds:
            header[1] = f"{self.metric} of the folds, mean"
            header.insert(2, "95 % interval")
        rows = [self._format_row(combination) for combination in self.combinations]
        return "\n\n".join([format_markdown_table(header, rows), *self._warnings])

    def _format_row(self, combination: CombinationResults) -> list[str]:
        """Returns the cells of a combination, with an interval if there are folds."""
        if combination.values:
            values = combination.values.values()
            row = [
                combination.name,
                f"{combination.mean:.4f}",
                f"{min(values):.4f}-{max(values):.4f}",
                str(len(values)),
                ", ".join(map(str, combination.seeds)),
                "**best**" if combination is self.best else "",
            ]
        else:
            row = [combination.name, "-", "-", "0", "-", ""]
        if self.folds:
            interval = "-"
            if combination.interval:
                low, high = combination.interval
                interval = f"{low:.4f}-{high:.4f}"
            row.insert(2, interval)
        return row

    def as_csv(self) -> str:
        """Returns the table as CSV."""
        rows = []
        for combination in self.combinations:
            values = combination.values.values()
            row = {
                "setting": combination.name,
                "metric": self.metric,
                "mean": "" if combination.mean is None else combination.mean,
                "least": min(values, default=""),
                "most": max(values, default=""),
                "n": len(values),
                "seeds": " ".join(map(str, combination.seeds)),
                "best": int(combination is self.best),
            }
            if self.folds:
                row["low"], row["high"] = combination.interval or ("", "")
            rows.append(row)
        return format_csv(rows)

    def draw(self) -> "Figure | None":
        """Returns the figure of the dev curves, or `None` without a network."""
        curves = {
            combination.name: list(combination.curves.values())
            for combination in self.combinations
        }
        if not any(curves.values()):
            return None
        return draw_curves(curves, f"dev {self.metric}")
