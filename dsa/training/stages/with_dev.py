"""A second training, on train and dev together, once dev has chosen the epoch."""

import logging

from dsa.errors import InputError
from dsa.experiment.run_folder import WITH_DEV, RunFolder
from dsa.experiment.run_records import read_history
from dsa.experiment.yaml_file import experiment_of
from dsa.training.stages.first_block import FOLDER as FIRST
from dsa.training.stages.sub_run import train_sub_run

log = logging.getLogger(__name__)


def train_with_dev(experiment, run, root, train, command=None):
    """Train an experiment again, on train and dev, for as many epochs as dev chose.

    It is a run of its own below the run folder, with everything that a run has. Its
    numbers on dev are of rows that it has learned.

    Args:
        experiment: the `Experiment` of a finished run.
        run: its `RunFolder`.
        root: the data root.
        train: what trains an experiment into a run folder: `dsa.training.trainers`'s.
        command: what was run.

    Returns: the `RunFolder`.

    Reference: Yin et al. 2016, section 5.5.
    """
    changes = {
        "data.train_on_dev": True,
        "training.refit_with_dev": False,
        "training.epochs": count_chosen_epochs(run, experiment.task.selects),
        "training.steps": None,
        "training.early_stopping": None,
        "training.evaluate_from": 0,  # dev is evaluated once, at the end
    }
    if experiment.model.earlier_stage():
        first = RunFolder(experiment.model.first or run.path / FIRST)
        first = train_with_dev(first.experiment(), first, root, train, command)
        # from any folder the same, as a training that goes on compares settings
        changes["model.first"] = str(first.path.resolve())
    settings = experiment.model_dump(mode="json")
    again = experiment_of(settings, changes, "the training with dev")
    path = run.path / WITH_DEV
    log.info("again with dev: %d epochs, in %s", again.training.epochs, path)
    return train_sub_run(again, path, root, train, command)


def count_chosen_epochs(run, selects):
    """The epochs after which dev was best, at least 1.

    Args:
        run: a finished `RunFolder`.
        selects: the dev metric.

    Raises: `InputError` for a run without such a history.
    """
    key = f"val_{selects}"
    evaluated = [row for row in read_history(run) if row.get(key) is not None]
    if not evaluated:
        raise InputError(f"{run.path}: history.csv has no '{key}'")
    best = max(evaluated, key=lambda row: row[key])  # the first of equal ones
    return max(1, round(best.get("epoch") or 1))
