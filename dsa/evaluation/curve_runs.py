"""Learning curves of runs, as a figure or as text."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsa.analysis.plots import draw_curves
from dsa.analysis.text_curves import write_curves
from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import check_names, name_runs
from dsa.runs.run_records import OVER, read_curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure


COLUMNS = 72  # of what is printed
DEV = "val_"  # what the columns of dev begin with, in a history


@dataclasses.dataclass(frozen=True)
class Curves:
    """A number of some runs while they were trained.

    Args:
        curves: `{name of a run: (places, numbers)}`.
        label: what the numbers are.
        over: what the places are: steps, epochs or seconds.
        train: the same number in training, of the runs that have it, where the
            curves are dev's.

    Printed, it is a drawing of the curves in letters.
    """

    curves: dict[str, tuple[list[float], list[float]]]
    label: str
    over: str
    train: dict[str, tuple[list[float], list[float]]] = dataclasses.field(
        default_factory=dict
    )

    def draw(self) -> Figure:
        """Draws the curves as a `matplotlib.figure.Figure`."""
        groups = {name: [curve] for name, curve in self.curves.items()}
        return draw_curves(groups, self.label, self.over, self.train)

    def write(self, columns: int) -> str:
        """Returns the curves as text, so many characters wide."""
        return write_curves(self.curves, self.label, self.over, columns)

    def __str__(self) -> str:
        return self.write(COLUMNS)


def read_curves(
    runs: Sequence[RunFolder],
    names: Sequence[str] | None = None,
    metric: str | None = None,
    over: str = "steps",
) -> Curves:
    """Reads the curves of some runs; a run that is still being trained has one so far.

    Args:
        names: of the runs; `None` for the settings that differ.
        metric: a column of `history.csv`, such as `loss` or `val_loss`; `None` for the
            dev metric that selects.
        over: "steps", "epochs" or "seconds" of training.

    Raises: `InputError` for a folder that is no run, a run without such a history, and
        without `metric` for runs that different metrics select.
    """
    if names is not None:
        check_names(names, len(runs))
    if over not in OVER:
        raise InputError(
            f"'over': one of {', '.join(OVER)} is needed. Received: {over}"
        )
    experiments = [run.experiment() for run in runs]
    for run, experiment in zip(runs, experiments, strict=True):
        if not experiment.family.has_epochs:
            raise InputError(
                f"{run.path}: '{experiment.model.name}' is fitted at once, it has no "
                "learning curve"
            )
    metric = metric or _find_metric(runs, experiments)
    names = names or name_runs(runs)
    curves = [read_curve(run, metric, over) for run in runs]
    named = dict(zip(names, curves, strict=True))
    if not metric.startswith(DEV):
        return Curves(named, metric, over)
    number, train = metric.removeprefix(DEV), {}
    for name, run in zip(names, runs, strict=True):
        with contextlib.suppress(InputError):  # not every number is one of training
            train[name] = read_curve(run, number, over)
    return Curves(named, f"dev {number}", over, train)


def _find_metric(runs, experiments):
    """The column of the dev metric that selects.

    Raises: `InputError` for runs with different ones.
    """
    first = experiments[0].task.selects
    for run, experiment in zip(runs, experiments, strict=True):
        if experiment.task.selects != first:
            raise InputError(
                f"{runs[0].path} is selected by dev {first}, {run.path} by dev "
                f"{experiment.task.selects}: 'metric' chooses a number that both have, "
                "such as val_loss"
            )
    return f"{DEV}{first}"
