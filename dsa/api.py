"""One experiment from its config to an evaluated run folder."""

import contextlib
import hashlib
import logging
import shlex
from pathlib import Path
from typing import NamedTuple

import yaml

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.run_folder import RunFolder
from dsa.experiment.yaml_file import (
    experiment_of,
    load_experiment,
    parse_overrides,
    run_path,
    shown_path,
)
from dsa.sweeps.finished_runs import find_missing_splits
from dsa.sweeps.plans import write_assignments
from dsa.system.folder_lock import TRAINING
from dsa.system.folders import data_root as find_data_root
from dsa.system.folders import write_name
from dsa.system.terminal import logging_to
from dsa.training.tracking.mirror import check_packages

log = logging.getLogger(__name__)


class TrainedRun(NamedTuple):
    """A run folder, its task, and evaluations of what it selected, dev's first."""

    path: Path
    task: object
    evaluations: list


def train(config, run=None, overrides=(), data_root=None, resume=True):
    """Train an experiment, or go on with it.

    Args:
        config: the path of a YAML file, a dictionary of the same settings, or an
            `Experiment`.
        run: the run folder; by default below `runs/`, named by the config's path, or
            for settings without a file by model and a hash of them.
        overrides: settings to change: texts `"section.key=value"`, or a dictionary
            `{"section.key": value}`.
        data_root: the folder of the corpora; by default `DSA_DATA`, else `data/`.
        resume: whether to go on with a run that is there. With `False` a folder that
            holds something is an error.

    Returns: the path of the run folder.

    Raises: `InputError` for settings or data that are wrong, and for a run folder that
        was started with other ones.

    Example:
        run = dsa.train("configs/mini/dsa.yaml", overrides=["training.epochs=1"])
    """
    return train_and_evaluate(config, run, overrides, data_root, resume).path


def train_and_evaluate(
    config, run=None, overrides=(), data_root=None, resume=True, splits=(), place=None
):
    """As `train`, and then evaluate what the run selected. Evaluations are recorded in
    the run.

    Args:
        config, run, overrides, data_root, resume: as those of `train`.
        splits: the splits beside dev that the run is evaluated on once, if their files
            exist.
        place: the `dsa.backends.processes.Place` of this process, where several train
            one run; `None` for one that trains it by itself.

    Returns: a `TrainedRun`; of several processes, only the first one evaluates.
    """
    from dsa.evaluation.evaluate import evaluate
    from dsa.inference.loading import load
    from dsa.training.together import train_together

    if not isinstance(overrides, dict):
        overrides = parse_overrides(overrides)
    if run is not None and not str(run):
        raise InputError("--run: the name of a folder is needed. Received: ''")
    root = find_data_root(data_root)
    experiment, path, command = _read(config, overrides, root)
    run = RunFolder(run or path)
    check_packages(experiment.training)
    for split in splits:
        if experiment.data.file(split) is None:
            raise InputError(f"--evaluate: the config names no file of '{split}'")
    writes = place is None or place.index == 0
    with run.hold(TRAINING) if writes else contextlib.nullcontext():
        with train_together(place, experiment, run, resume) as own:
            tracked = experiment if writes else experiment.without_trackers()
            run_experiment(tracked, own, root, resume, command)
        if not writes:
            return TrainedRun(run.path, experiment.task, [])
        with logging_to(run.log):
            trained = load(run.path, root=root)
            evaluations = [evaluate(trained, root, "dev")]
            for split in find_missing_splits(run, splits, root):
                evaluations.append(evaluate(trained, root, split))
    return TrainedRun(run.path, experiment.task, evaluations)


def run_experiment(experiment, run, root, resume=True, command=None):
    """Train an experiment into a run folder.

    Args:
        experiment: an `Experiment`.
        run: the `RunFolder`.
        root: the data root.
        resume: whether to go on with what the folder holds.
        command: what was run, for `environment.json`.

    Raises: `InputError`; a new run that fails before its first evaluation leaves
        nothing.
    """
    from dsa.training.open_run import open_run
    from dsa.training.trainers import train as train_network_or_linear

    with open_run(experiment, run, resume), logging_to(run.log, held=True):
        train_network_or_linear(experiment, run, root, command)


def _read(config, overrides, root):
    """The `Experiment`, the default path of its run, and the command that trains it."""
    if isinstance(config, (str, Path)):
        experiment = load_experiment(config, overrides, root)
        command = f"python scripts/train.py {write_name(shown_path(config))}"
        if overrides:
            command += f" --set {shlex.join(write_assignments(overrides))}"
        return experiment, run_path(config, overrides, experiment.seed), command
    if isinstance(config, Experiment):
        config = config.model_dump()
    experiment = experiment_of(config, overrides, root=root)
    text = yaml.safe_dump(experiment.decisive_settings(), sort_keys=False)
    name = f"{experiment.model.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return experiment, Path("runs", name, f"seed-{experiment.seed}"), "dsa.train(...)"
