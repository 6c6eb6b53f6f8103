"""Public API for training experiments."""

import hashlib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from dsa.api.arguments import convert_overrides, make_type_error
from dsa.backends.device_check import log_device
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.yaml_file import (
    format_assignments,
    get_display_path,
    load_experiment,
    make_run_path,
    parse_experiment,
)
from dsa.runs.run_folder import RunFolder
from dsa.system.folders import check_folder_name, escape_name
from dsa.system.folders import data_root as find_data_root
from dsa.system.terminal import logging_to
from dsa.training.run_state import Finished, New, open_run
from dsa.training.stage_runs import plan_stages
from dsa.training.tracking.tracker import check_packages
from dsa.training.training_corpora import check_corpora, find_training_files

Config = str | Path | Mapping[str, Any] | Experiment


class TrainedRun(NamedTuple):
    """A trained run with the evaluations of the selected checkpoint.

    Args:
        path: path of the run folder.
        task: task of the run.
        evaluations: entries of `metrics.json`, first on dev.
    """

    path: Path
    task: Any
    evaluations: list[dict[str, Any]]


def train(  # noqa: PLR0913 (the options of the command)
    config: Config,
    run: str | Path | None = None,
    overrides: str | Iterable[str] | Mapping[str, Any] = (),
    data_root: str | Path | None = None,
    resume: bool = True,
    callbacks: Iterable[Any] | None = None,
) -> Path:
    """Trains an experiment, or resumes its training.

    Args:
        config: path of a YAML file, a dictionary with the same settings, or an
            `Experiment`.
        run: path of the run folder. By default
            `runs/<config path>[/<hash of the overrides>]/seed-<seed>`, or, if `config`
            is not a path, `runs/<model>-<hash of the settings>/seed-<seed>`.
        overrides: settings to override: a string `"section.key=value"`, a list of
            strings, or a dictionary `{"section.key": value}`.
        data_root: folder of the corpora; by default the environment variable
            `DSA_DATA`, or `data/` if it is not set.
        resume: whether to resume an existing run. `False` raises an error if the folder
            is not empty.
        callbacks: additional callbacks (`keras.callbacks.Callback`), or `None`. For
            callbacks, an "epoch" is the interval between two evaluations on dev, and a
            "batch" is one training step. Resuming a run restores the model and the
            optimizer, but not the attributes of these callbacks. They are called in
            every stage of the training.

    Returns: the path of the run folder.

    Raises: `InputError` if the settings, the data or the callbacks are invalid, if
        callbacks are given for a model that is not trained with Keras, if the run was
        started with different settings, or if `resume` is `False` and the folder is not
        empty. `BusyError` if another process is training in the folder. Exceptions of
        callbacks are not caught; the files of earlier evaluations are kept.

    Example:
        run = dsa.train("configs/mini/dsa.yaml", overrides=["training.epochs=1"])
    """
    return train_and_evaluate(
        config,
        run=run,
        overrides=overrides,
        data_root=data_root,
        resume=resume,
        callbacks=callbacks,
    ).path


def train_and_evaluate(  # noqa: PLR0913 (the options of the command)
    config: Config,
    run: str | Path | None = None,
    overrides: str | Iterable[str] | Mapping[str, Any] = (),
    data_root: str | Path | None = None,
    resume: bool = True,
    splits: Sequence[str] = (),
    callbacks: Iterable[Any] | None = None,
) -> TrainedRun:
    """Trains an experiment, evaluates the selected checkpoint on dev and other splits,
    and records the evaluations in the run. Dev is evaluated and recorded in every call,
    also for a finished run. The predictions are stored for each evaluated split in
    `splits`, see `dsa.evaluation.answers`.

    Args:
        config, run, overrides, data_root, resume, callbacks: see `train`.
        splits: splits to evaluate. A split other than dev is skipped if the run has
            already been evaluated on it, or if its file does not exist.

    Returns: a `TrainedRun`.

    Raises: `InputError` if the config has no file for a split; see also `train`.
    """
    root = find_data_root(data_root)
    user_callbacks = _convert_callbacks(callbacks)
    experiment, default_run, command = _resolve_config(config, overrides, root)
    if run is not None:
        check_folder_name(run, "'run'")
    folder = RunFolder(default_run if run is None else run)
    if experiment.training.track:
        check_packages(experiment.training.track)
    for split in splits:
        if experiment.data.file(split) is None:
            raise InputError(f"the config has no file for the split '{split}'")
    with open_run(experiment, folder, resume) as state:
        # check the files before Keras is imported, which takes seconds
        files = find_training_files(experiment, root, is_new=isinstance(state, New))
        if experiment.training.require_gpu:
            log_device(require_gpu=True)  # before the corpora are read
        if not isinstance(state, Finished):
            tokenizer = Tokenizer(**experiment.tokenizer.model_dump())
            check_corpora(experiment.data, tokenizer, files)

        from dsa.training.train import check_callbacks
        from dsa.training.train import train as train_stage

        check_callbacks(user_callbacks, experiment.family)
        with logging_to(folder.log, buffered=True):
            log_device(experiment.training.require_gpu)
            for stage in plan_stages(experiment, folder, state):
                with stage.state_context as stage_state:
                    if isinstance(stage_state, Finished) and stage.run is not folder:
                        continue
                    stage_files = find_training_files(
                        stage.experiment, root, is_new=isinstance(stage_state, New)
                    )
                    train_stage(
                        stage.experiment,
                        run=stage.run,
                        state=stage_state,
                        files=stage_files,
                        stage=stage.stage,
                        previous_run=stage.previous_run,
                        command=command,
                        user_callbacks=user_callbacks,
                    )

        from dsa.evaluation.evaluate import evaluate as evaluate_and_record
        from dsa.evaluation.splits import find_split
        from dsa.inference import loading
        from dsa.sweeps.finished_runs import find_missing_splits

        with logging_to(folder.log):
            trained = loading.load(folder, root=root)
            rows = find_split(trained, root, "dev")
            evaluations = [
                evaluate_and_record(trained, rows, keep_answers="dev" in splits)
            ]
            for split in find_missing_splits(folder, dict.fromkeys(splits), root):
                rows = find_split(trained, root, split)
                evaluations.append(
                    evaluate_and_record(trained, rows, keep_answers=True)
                )
    return TrainedRun(folder.path, experiment.task, evaluations)


def _convert_callbacks(callbacks: Iterable[Any] | None) -> list[Any]:
    """Converts the argument `callbacks` to a list.

    Raises: `InputError` if `callbacks` is a string, a mapping or not iterable.
    """
    if callbacks is None:
        return []
    if isinstance(callbacks, (str, Mapping)) or not isinstance(callbacks, Iterable):
        raise make_type_error("callbacks", "a list of Keras callbacks", callbacks)
    return list(callbacks)


class _ResolvedConfig(NamedTuple):
    """Validated experiment, default run folder, and the training command that is
    recorded in the run."""

    experiment: Experiment
    default_run: Path
    command: str


def _resolve_config(
    config: Config,
    overrides: str | Iterable[str] | Mapping[str, Any],
    root: Path,
) -> _ResolvedConfig:
    """Validates the config and the overrides of a run.

    Raises: `InputError` if the settings are invalid, or `config` has another type.
    """
    overrides = convert_overrides(overrides)
    if isinstance(config, (str, Path)):
        experiment = load_experiment(config, overrides, root)
        path = escape_name(get_display_path(config))
        command = f"dsa train {shlex.quote(path)}"
        if overrides:
            command += f" --set {shlex.join(format_assignments(overrides))}"
        default_run = make_run_path(config, overrides, experiment.seed)
        return _ResolvedConfig(experiment, default_run, command)
    if isinstance(config, Experiment):
        config = config.model_dump()
    if not isinstance(config, Mapping):
        expected = "the path of a YAML file, a dictionary or an `Experiment`"
        raise make_type_error("config", expected, config)
    experiment = parse_experiment(config, overrides, root=root)
    settings = experiment.result_settings()
    del settings["seed"]  # all seeds share a folder
    text = yaml.safe_dump(settings, sort_keys=False)
    name = f"{experiment.model.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    default_run = Path("runs", name, f"seed-{experiment.seed}")
    return _ResolvedConfig(experiment, default_run, command="dsa.train(...)")
