"""Dev metrics of a grid of runs, as a table and a figure."""

import dataclasses
import logging
import statistics
from collections.abc import Sequence
from pathlib import Path

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.plots import draw_curves
from dsa.jobs.execute import JobsFailed
from dsa.runs.outputs import OutputFolder
from dsa.runs.run_records import read_curve
from dsa.sweeps.finished_runs import Runs, read_evaluations, warn_of_known_rows
from dsa.sweeps.fold_interval import interval_over_folds
from dsa.sweeps.planned_runs import Plan, complete_runs
from dsa.system.atomic_files import write_atomically
from dsa.system.text_tables import format_csv, format_markdown_table

TABLE, NUMBERS, CURVES = "sweep.md", "sweep.csv", "curves"
log = logging.getLogger(__name__)


def sweep(  # noqa: PLR0913
    plans: Sequence[Plan],
    folder: Path,
    root: Path,
    executor,
    out: OutputFolder,
    folds: bool = False,
) -> str | None:
    """Trains the runs of a grid, and writes a table and a figure of their dev metrics.

    Args:
        plans: plans, from `dsa.sweeps.grid.plan_grid`.
        folder: folder of existing and new runs.
        root: the data root.
        executor: executor of the jobs, see `dsa.jobs`.
        out: output folder of the table and the figure.
        folds: whether the runs are folds of a cross-validation, to be evaluated on the
            rows of their fold.

    Returns: the table as Markdown; `None` if the executor only prints the jobs.

    Raises: `JobsFailed` after writing the results of the other runs.
    """
    files = FigureFiles()
    names = (TABLE, NUMBERS, files.make_file_name(CURVES))
    out.check(names)
    splits = ("dev", "test") if folds else ("dev",)
    try:
        if not complete_runs(plans, splits, folder, root, executor):
            return None
    except JobsFailed:
        _write(GridResults(plans, folder, root, folds), out, names, files)
        raise
    return _write(GridResults(plans, folder, root, folds), out, names, files)


def _write(results, out, names, files):
    """Writes the files and returns the table."""
    table = results.as_markdown()
    if results.best is None:
        return table
    out.open(names)
    write_atomically(out.path / TABLE, table + "\n")
    write_atomically(out.path / NUMBERS, results.as_csv())
    figure = results.draw()
    if figure is not None:
        files.write(figure, out.path, CURVES)
    written = names if figure is not None else (TABLE, NUMBERS)
    log.info("written to %s: %s", out.path, ", ".join(written))
    return table


@dataclasses.dataclass(frozen=True)
class Setting:
    """The finished runs of a combination of settings.

    Args:
        name: name of the combination.
        values: `{(seed, fold): metric of the selected checkpoint}` on dev, or on the
            rows of the fold. The fold is `None` without cross-validation.
        curves: dev curves of networks, `{(seed, fold): (steps, metrics)}`.
    """

    name: str
    values: dict[tuple[int, int | None], float]
    curves: dict[tuple[int, int | None], tuple]

    @property
    def seeds(self) -> list[int]:
        """Seeds of the finished runs."""
        return list(dict.fromkeys(seed for seed, _ in self.values))

    @property
    def mean(self) -> float | None:
        """Mean over the runs; `None` without a finished run."""
        return statistics.mean(self.values.values()) if self.values else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the mean over folds, see `interval_over_folds`.

        The value of a fold is the mean over its seeds. `None` for a single fold.
        """
        by_fold: dict[int | None, list[float]] = {}
        for (_, fold), value in self.values.items():
            by_fold.setdefault(fold, []).append(value)
        if len(by_fold) < 2:
            return None
        return interval_over_folds([*map(statistics.mean, by_fold.values())])


class GridResults:
    """Dev metrics of the runs of a grid, or test metrics of folds.

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
        runs = Runs(folder, root)
        settings: dict[str, Setting] = {}
        for plan in plans:
            setting = settings.setdefault(plan.row, Setting(plan.row, {}, {}))
            run = runs.find(plan.experiment)
            entry = read_evaluations(run, root).get(split) if run else None
            if run and entry and self.metric in entry:
                fold = plan.overrides["data.folds.fold"] if folds else None
                key = plan.overrides["seed"], fold
                setting.values[key] = entry[self.metric]
                if plan.experiment.family.has_epochs:
                    setting.curves[key] = read_curve(run, f"val_{self.metric}")
        self.settings = list(settings.values())
        self._warnings = warn_of_known_rows(
            chosen=[plan.row for plan in plans if plan.experiment.data.select_on_test],
            trained_on_dev=[
                plan.row for plan in plans if plan.experiment.data.train_on_dev
            ],
        )

    @property
    def best(self) -> Setting | None:
        """Setting with the highest mean, the first if tied.

        `None` without a finished run.
        """
        finished = [setting for setting in self.settings if setting.values]
        return max(
            finished,
            key=lambda setting: statistics.mean(setting.values.values()),
            default=None,
        )

    def as_markdown(self) -> str:
        """Returns the table as Markdown, with warnings about optimistic metrics."""
        header = ["setting", f"dev {self.metric}, mean", "range", "n", "seeds", ""]
        if self.folds:
            header[1] = f"{self.metric} of the folds, mean"
            header.insert(2, "95 % interval")
        rows = [self._format_row(setting) for setting in self.settings]
        return "\n\n".join([format_markdown_table(header, rows), *self._warnings])

    def _format_row(self, setting):
        """Returns the cells of a setting, with an interval for a cross-validation."""
        if setting.values:
            values = setting.values.values()
            row = [
                setting.name,
                f"{setting.mean:.4f}",
                f"{min(values):.4f}-{max(values):.4f}",
                str(len(values)),
                ", ".join(map(str, setting.seeds)),
                "**best**" if setting is self.best else "",
            ]
        else:
            row = [setting.name, "-", "-", "0", "-", ""]
        if self.folds:
            interval = "-"
            if setting.interval:
                low, high = setting.interval
                interval = f"{low:.4f}-{high:.4f}"
            row.insert(2, interval)
        return row

    def as_csv(self) -> str:
        """Returns the table as CSV."""
        rows = [
            {
                "setting": setting.name,
                "metric": self.metric,
                "mean": "" if setting.mean is None else setting.mean,
                "least": min(setting.values.values(), default=""),
                "most": max(setting.values.values(), default=""),
                "n": len(setting.values),
                "seeds": " ".join(map(str, setting.seeds)),
                "best": int(setting is self.best),
            }
            for setting in self.settings
        ]
        if self.folds:
            for row, setting in zip(rows, self.settings, strict=True):
                row["low"], row["high"] = setting.interval or ("", "")
        return format_csv(rows)

    def draw(self):
        """Returns the figure of the dev curves; `None` without a network."""
        curves = {
            setting.name: list(setting.curves.values()) for setting in self.settings
        }
        if not any(curves.values()):
            return None
        return draw_curves(curves, f"dev {self.metric}")
