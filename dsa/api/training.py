"""The entrance of the library: train the experiment of a config."""

import hashlib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from dsa.api.arguments import read_overrides, refuse
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.yaml_file import (
    experiment_of,
    load_experiment,
    run_path,
    shown_path,
    write_assignments,
)
from dsa.runs.run_folder import RunFolder
from dsa.system.folders import check_folder_name, write_name
from dsa.system.folders import data_root as find_data_root
from dsa.system.terminal import logging_to
from dsa.training.run_state import New, open_run
from dsa.training.tracking.tracker import check_packages
from dsa.training.training_corpora import check_files

Config = str | Path | Mapping[str, Any] | Experiment


class TrainedRun(NamedTuple):
    """A run folder, its task, and evaluations of what it selected, dev's first."""

    path: Path
    task: Any
    evaluations: list[dict[str, Any]]


def train(  # noqa: PLR0913 (all by name)
    config: Config,
    run: str | Path | None = None,
    overrides: str | Iterable[str] | Mapping[str, Any] = (),
    data_root: str | Path | None = None,
    resume: bool = True,
    callbacks: Sequence[Any] = (),
) -> Path:
    """Train an experiment, or resume it.

    Args:
        config: the path of a YAML file, a dictionary of the same settings, or an
            `Experiment`.
        run: the run folder; by default below `runs/`, named by the config's path, or
            for settings without a file by model and a hash of them.
        overrides: settings to change: a text `"section.key=value"`, several, or a
            dictionary `{"section.key": value}`.
        data_root: the folder of the corpora; by default `DSA_DATA`, else `data/`.
        resume: whether to resume a run that is there. With `False` a folder that holds
            something is an error.
        callbacks: Keras callbacks of your own (`keras.callbacks.Callback`), beside
            those that training has. To Keras an "epoch" is then an interval between two
            evaluations on dev, and a "batch" a step. Resuming restores what they have
            done to model and optimizer, not their own attributes.

    Returns: the path of the run folder.

    Raises: `InputError` for settings or data that are wrong, and for a run folder that
        was started with other ones; and what a callback raises: what the evaluations
        before have saved is kept.

    Example:
        run = dsa.train("configs/mini/dsa.yaml", overrides=["training.epochs=1"])
    """
    return train_and_evaluate(
        config, run, overrides, data_root, resume, callbacks=callbacks
    ).path


def train_and_evaluate(  # noqa: PLR0913 (what the command has too)
    config: Config,
    run: str | Path | None = None,
    overrides: str | Iterable[str] | Mapping[str, Any] = (),
    data_root: str | Path | None = None,
    resume: bool = True,
    splits: Sequence[str] = (),
    callbacks: Sequence[Any] = (),
) -> TrainedRun:
    """As `train`, and then evaluate what the run selected. Evaluations are recorded in
    the run.

    Args:
        config, run, overrides, data_root, resume, callbacks: as those of `train`.
        splits: the splits beside dev that the run is evaluated on once, if their files
            exist.

    Returns: a `TrainedRun`.
    """
    root = find_data_root(data_root)
    experiment, path, command = _read(config, overrides, root)
    if run is not None:
        check_folder_name(run, "'run'")
    folder = RunFolder(run or path)
    check_packages(experiment.training.track)
    for split in splits:
        if experiment.data.file(split) is None:
            raise InputError(f"--evaluate: the config names no file of '{split}'")
    with open_run(experiment, folder, resume) as state:
        check_files(experiment, root, new=isinstance(state, New))

        from dsa.training.train import train as train_stages

        train_stages(experiment, folder, state, root, command, callbacks)

        from dsa.evaluation.evaluate import evaluate as evaluate_and_record
        from dsa.inference import loading
        from dsa.sweeps.finished_runs import find_missing_splits

        with logging_to(folder.log):
            trained = loading.load(folder, root=root)
            evaluations = [evaluate_and_record(trained, root, "dev")]
            for split in find_missing_splits(folder, splits, root):
                evaluations.append(evaluate_and_record(trained, root, split))
    return TrainedRun(folder.path, experiment.task, evaluations)


def _read(
    config: Config,
    overrides: str | Iterable[str] | Mapping[str, Any],
    root: Path,
) -> tuple[Experiment, Path, str]:
    """The `Experiment`, the default path of its run, and the command that trains it."""
    overrides = read_overrides(overrides)
    if isinstance(config, (str, Path)):
        experiment = load_experiment(config, overrides, root)
        command = f"dsa train {write_name(shown_path(config))}"
        if overrides:
            command += f" --set {shlex.join(write_assignments(overrides))}"
        return experiment, run_path(config, overrides, experiment.seed), command
    if isinstance(config, Experiment):
        config = config.model_dump()
    if not isinstance(config, Mapping):
        what = "the path of a YAML file, a dictionary or an `Experiment`"
        raise refuse("config", what, config)
    experiment = experiment_of(config, overrides, root=root)
    text = yaml.safe_dump(experiment.decisive_settings(), sort_keys=False)
    name = f"{experiment.model.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return experiment, Path("runs", name, f"seed-{experiment.seed}"), "dsa.train(...)"
