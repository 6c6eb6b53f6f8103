"""What the runs of a grid have reached on dev, by setting: a table and a figure."""

import dataclasses
import statistics

from dsa.analysis.curves import draw_curves
from dsa.experiment.run_records import read_curve
from dsa.sweeps.finished_runs import Runs, read_evaluations
from dsa.sweeps.known_rows import warn_of_known_rows
from dsa.system.text_tables import comma_separated, markdown_table


@dataclasses.dataclass(frozen=True)
class Setting:
    """The finished runs of a combination of settings.

    Args:
        name: of the combination.
        values: `{seed: metric of the selected checkpoint on dev}`.
        curves: `{seed: (steps, metric on dev after each)}`, of trained networks.
    """

    name: str
    values: dict
    curves: dict

    @property
    def mean(self):
        """The mean over the seeds; `None` without a finished run."""
        return statistics.mean(self.values.values()) if self.values else None


class GridResults:
    """What the runs of a grid have reached.

    Args:
        plans: of `plan_grid`.
        folder: where runs are looked for.
        root: the data root.
    """

    def __init__(self, plans, folder, root):
        self.metric = plans[0].experiment.task.selects
        runs, found = Runs(folder, root), {}
        for plan in plans:
            setting = found.setdefault(plan.row, Setting(plan.row, {}, {}))
            run = runs.find(plan.experiment)
            entry = run and read_evaluations(run, root).get("dev")
            if entry and self.metric in entry:
                seed = plan.overrides["seed"]
                setting.values[seed] = entry[self.metric]
                if plan.experiment.family.is_network:  # others have no steps
                    setting.curves[seed] = read_curve(run, f"val_{self.metric}")
        self.settings = list(found.values())
        data = [(plan.row, plan.experiment.data) for plan in plans]
        self._warnings = warn_of_known_rows(
            chosen=[row for row, known in data if known.select_on_test],
            learned=[row for row, known in data if known.train_on_dev],
        )

    @property
    def best(self):
        """The `Setting` with the best mean, the first one of equal ones; `None` without
        a finished run."""
        finished = [setting for setting in self.settings if setting.values]
        return max(finished, key=lambda setting: setting.mean, default=None)

    def as_markdown(self):
        """The table as Markdown, and what makes its numbers too good."""
        header = ["setting", f"dev {self.metric}, mean", "range", "n", "seeds", ""]
        rows = [self._write_row(setting) for setting in self.settings]
        return "\n\n".join([markdown_table(header, rows), *self._warnings])

    def as_csv(self):
        """The same numbers as CSV."""
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
        """The curves on dev of all runs, as a figure; `None` without a network."""
        curves = {row.name: list(row.curves.values()) for row in self.settings}
        if not any(curves.values()):
            return None
        return draw_curves(curves, f"dev {self.metric}")

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
