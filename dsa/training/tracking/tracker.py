"""What all trackers share."""

import abc

from dsa.experiment.run_names import flatten, name_folders

PROJECT = "dsa"  # of the trackers that have projects


class Tracker(abc.ABC):
    """One run in one tracker.

    A subclass opens it, and sets `last` where the tracker has steps of the run already.

    Args:
        run: the `RunFolder`.
        run_id: the run's name in all trackers, which a resumed run keeps.
        experiment: the `Experiment`.
    """

    last = -1  # the last step that the tracker has
    writes_at_once = False  # or when it is closed, at the latest

    def __init__(self, run, run_id, experiment):
        self.run = run
        self.run_id = run_id
        self.experiment = experiment

    @property
    def name(self):
        """What people call the run."""
        return name_folders([self.run.path])[0]

    def settings(self):
        """The resolved config as `{"section.key": value}`."""
        return flatten(self.experiment.model_dump(mode="json"))

    def write(self, history):
        """Write the rows of a history that the tracker lacks."""
        for row in history:
            step = find_step(row)
            if step > self.last:
                numbers = {
                    k: v for k, v in row.items() if k != "step" and v is not None
                }
                self.write_step(step, numbers)
                self.last = step

    @abc.abstractmethod
    def write_step(self, step, numbers):
        """Write `{name: number}` of one step."""

    @abc.abstractmethod
    def close(self):
        """End the run in the tracker."""


def find_step(row):
    """The step of a row of the history. A model that is fitted at once has no steps,
    and counts its evaluations."""
    return row.get("step", row["evaluation"])
