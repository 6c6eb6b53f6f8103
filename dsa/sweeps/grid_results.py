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
from dsa.sweeps.planned_runs import Plan, complete_runs
from dsa.system.atomic_files import write_atomically
from dsa.system.text_tables import comma_separated, markdown_table

TABLE, NUMBERS, CURVES = "sweep.md", "sweep.csv", "curves"
log = logging.getLogger(__name__)


def sweep(
    plans: Sequence[Plan], folder: Path, root: Path, executor, out: OutputFolder
) -> str | None:
    """Trains the runs of a grid, and writes a table and a figure of their dev metrics.

    Args:
        plans: the plans of `dsa.sweeps.grid.plan_grid`.
        folder: the folder of existing and new runs.
        root: the data root.
        executor: see `dsa.jobs`.
        out: the folder of the table and the figure.

    Returns: the table as Markdown; `None` if the executor only shows the jobs.

    Raises: `JobsFailed`; the files then contain the results of the other runs.
    """
    files = FigureFiles()
    names = (TABLE, NUMBERS, files.name_file(CURVES))
    out.refuse(names)
    try:
        if not complete_runs(plans, ("dev",), folder, root, executor):
            return None
    except JobsFailed:
        _write(GridResults(plans, folder, root), out, names, files)
        raise
    return _write(GridResults(plans, folder, root), out, names, files)


def _write(results, out, names, files):
    """Writes the files; returns the table."""
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
        values: `{seed: metric of the selected checkpoint on dev}`.
        curves: `{seed: (steps, dev metric after each)}` for networks.
    """

    name: str
    values: dict[int, float]
    curves: dict[int, tuple]

    @property
    def mean(self) -> float | None:
        """Mean over the seeds; `None` without a finished run."""
        return statistics.mean(self.values.values()) if self.values else None


class GridResults:
    """Dev metrics of the runs of a grid.

    Args:
        plans: the plans of `plan_grid`.
        folder: the folder of the runs.
        root: the data root.
    """

    def __init__(self, plans: Sequence[Plan], folder: Path, root: Path):
        self.metric = plans[0].experiment.task.selects
        runs, found = Runs(folder, root), {}
        for plan in plans:
            setting = found.setdefault(plan.row, Setting(plan.row, {}, {}))
            run = runs.find(plan.experiment)
            entry = read_evaluations(run, root).get("dev") if run else None
            if run and entry and self.metric in entry:
                seed = plan.overrides["seed"]
                setting.values[seed] = entry[self.metric]
                if plan.experiment.family.has_epochs:
                    setting.curves[seed] = read_curve(run, f"val_{self.metric}")
        self.settings = list(found.values())
        data = [(plan.row, plan.experiment.data) for plan in plans]
        self._warnings = warn_of_known_rows(
            chosen=[row for row, known in data if known.select_on_test],
            trained_on_dev=[row for row, known in data if known.train_on_dev],
        )

    @property
    def best(self) -> Setting | None:
        """Setting with the best mean; of ties, the first. `None` without a finished
        run."""
        finished = [setting for setting in self.settings if setting.values]
        return max(finished, key=lambda setting: setting.mean, default=None)

    def as_markdown(self) -> str:
        """Returns the table as Markdown, with warnings about optimistic metrics."""
        header = ["setting", f"dev {self.metric}, mean", "range", "n", "seeds", ""]
        rows = [self._write_row(setting) for setting in self.settings]
        return "\n\n".join([markdown_table(header, rows), *self._warnings])

    def _write_row(self, setting):
        if not setting.values:
            return [setting.name, "-", "-", "0", "-", ""]
        values = setting.values.values()
        return [
            setting.name,
            f"{setting.mean:.4f}",
            f"{min(values):.4f}-{max(values):.4f}",
            str(len(values)),
            ", ".join(map(str, setting.values)),
            "**best**" if setting is self.best else "",
        ]

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
                "seeds": " ".join(map(str, setting.values)),
                "best": int(setting is self.best),
            }
            for setting in self.settings
        ]
        return comma_separated(rows)

    def draw(self):
        """Returns the figure of the dev curves; `None` without a network."""
        curves = {row.name: list(row.curves.values()) for row in self.settings}
        if not any(curves.values()):
            return None
        return draw_curves(curves, f"dev {self.metric}")
