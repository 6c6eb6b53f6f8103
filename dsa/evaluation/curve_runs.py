"""Learning curves of runs, as a figure, as text or as an HTML table."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsa.analysis.plots import draw_curves
from dsa.analysis.text_curves import format_curves
from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import check_names, name_runs
from dsa.runs.run_records import X_AXES, read_curve
from dsa.system.text_tables import format_html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


COLUMNS = 72  # width of printed curves, in characters
DEV = "val_"  # prefix of the dev columns in `history.csv`


@dataclasses.dataclass(frozen=True, repr=False)
class Curves:
    """Learning curves of several runs. The `repr` is a text plot.

    Args:
        curves: positions and values of each curve, `{run name: (positions, values)}`.
        label: label of the values, such as "dev accuracy".
        over: unit of the positions: steps, epochs or seconds.
        train: curves of the training metric to draw beside the dev curves, in the
            format of `curves`. Runs without this training metric are not included.
    """

    curves: dict[str, tuple[list[float], list[float]]]
    label: str
    over: str
    train: dict[str, tuple[list[float], list[float]]] = dataclasses.field(
        default_factory=dict
    )

    def draw(self) -> Figure:
        """Draws the curves and returns the figure."""
        groups = {name: [curve] for name, curve in self.curves.items()}
        return draw_curves(groups, self.label, self.over, self.train)

    def write(self, columns: int) -> str:
        """Returns the curves as text with a width of `columns` characters."""
        return format_curves(self.curves, self.label, self.over, columns)

    def __repr__(self) -> str:
        return self.write(COLUMNS)

    def _repr_html_(self) -> str:
        """Returns an HTML table of the last, smallest and largest values."""
        rows = [
            [
                name,
                f"{positions[-1]:g}",
                f"{values[-1]:.4f}",
                f"{min(values):.4f}",
                f"{max(values):.4f}",
            ]
            for name, (positions, values) in self.curves.items()
        ]
        header = ["run", self.over, self.label, "minimum", "maximum"]
        return format_html_table(header, rows)


def read_curves(
    runs: Sequence[RunFolder],
    names: Sequence[str] | None = None,
    metric: str | None = None,
    over: str = "steps",
) -> Curves:
    """Reads the learning curves of runs, including unfinished runs.

    Args:
        runs: run folders.
        names: names of the runs; `None` to name the runs after the settings that differ
            between them.
        metric: column of `history.csv`, such as `loss` or `val_loss`; `None` for the
            dev metric that selects the weights.
        over: "steps", "epochs" or "seconds" of training.

    Raises: `InputError` if a folder is not a run, if a run does not have the metric, or
        if `metric` is `None` and different metrics select the weights of the runs.
    """
    if names is not None:
        check_names(names, len(runs))
    if over not in X_AXES:
        raise InputError(f"'over' must be one of {', '.join(X_AXES)}. Received: {over}")
    experiments = [run.experiment() for run in runs]
    for run, experiment in zip(runs, experiments, strict=True):
        if not experiment.family.has_epochs:
            raise InputError(
                f"{run.path}: '{experiment.model.name}' is not trained in epochs and "
                "has no learning curve"
            )
    metric = metric or _find_metric(runs, experiments)
    names = names or name_runs(runs)
    curves = {}
    for name, run in zip(names, runs, strict=True):
        curves[name] = read_curve(run, metric, over)
    if not metric.startswith(DEV):
        return Curves(curves, metric, over)
    train_metric = metric.removeprefix(DEV)
    train_curves = {}
    for name, run in zip(names, runs, strict=True):
        with contextlib.suppress(InputError):  # some metrics are computed on dev only
            train_curves[name] = read_curve(run, train_metric, over)
    return Curves(curves, f"dev {train_metric}", over, train_curves)


def _find_metric(runs, experiments):
    """Returns the column of the dev metric that selects the weights of all runs.

    Raises: `InputError` if different metrics select the weights of the runs.
    """
    first_metric = experiments[0].dev_metric
    for run, experiment in zip(runs, experiments, strict=True):
        if experiment.dev_metric != first_metric:
            raise InputError(
                "the dev metric that selects the weights must be the same in all runs. "
                f"Received: {first_metric} in {runs[0].path}, "
                f"{experiment.dev_metric} in {run.path}. Set 'metric' to a column of "
                "both runs, such as val_loss"
            )
    return f"{DEV}{first_metric}"
