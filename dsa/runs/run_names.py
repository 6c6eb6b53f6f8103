"""Short names of runs in tables and plots."""

import itertools
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.errors import InputError

if TYPE_CHECKING:
    from dsa.runs.run_folder import RunFolder

MAX_SETTINGS = 3  # maximum number of settings in a name


def list_differing_settings(models: Sequence[Any]) -> list[str]:
    """Returns the keys of the settings that differ between `TrainedModel`s."""
    return _list_differing_keys(
        [flatten(model.experiment.model_dump(mode="json")) for model in models]
    )


def _list_differing_keys(settings):
    keys = dict.fromkeys(key for run_settings in settings for key in run_settings)
    return [
        key
        for key in keys
        if len({repr(run_settings.get(key)) for run_settings in settings}) > 1
    ]


def describe_differences(models: Sequence[Any], num_first: int) -> list[str]:
    """Returns lines of text that list the settings that differ between two groups.

    Args:
        models: `TrainedModel`s of the first group, followed by the second group.
        num_first: number of models in the first group.
    """
    settings = [flatten(model.experiment.model_dump(mode="json")) for model in models]
    lines = []
    for key in _list_differing_keys(settings):
        values = [_format_value(run_settings.get(key)) for run_settings in settings]
        first = " and ".join(dict.fromkeys(values[:num_first]))
        other = " and ".join(dict.fromkeys(values[num_first:]))
        if first != other:
            lines.append(f"  {key}: {first}, {other}")
    if not lines:
        return ["no setting differs"]
    return ["settings that differ:", *lines]


def name_runs(runs: Sequence["RunFolder"]) -> list[str]:
    """Returns a distinct name for each `RunFolder`, such as "alpha 1.5" and "alpha 0".

    Releases and runs of a hub keep their names. Otherwise, a name consists of the
    smallest number of settings that distinguish the runs, preferably settings of the
    model. Runs with equal settings are named by their folders, and a single run by its
    model.
    """
    known = [run.known_as or "" for run in runs]
    if _are_distinct(known):
        return known
    experiments = [run.experiment() for run in runs]
    if len(runs) == 1:
        return [experiments[0].model.name]
    settings = [
        flatten(experiment.model_dump(mode="json")) for experiment in experiments
    ]
    keys = sorted(_list_differing_keys(settings), key=_sort_key)
    for count in range(1, MAX_SETTINGS + 1):
        for name_keys in itertools.combinations(keys, count):
            names = [
                _join_settings(run_settings, name_keys) for run_settings in settings
            ]
            if _are_distinct(names):
                return names
    return name_folders([run.known_as or run.path for run in runs])


def name_folders(folders: Sequence[Path | str]) -> list[str]:
    """Returns a distinct name for each run folder.

    The names are the shortest distinct ends of the paths, after the ending that all
    paths share is removed. Equal folders are numbered. The name of a single folder is
    its path below `runs/`, or the last two parts of its path.

    Example:
        >>> name_folders(["runs/snli/dsa/seed-13", "runs/snli/disan/seed-13"])
        ['dsa', 'disan']
        >>> name_folders(["runs/snli/dsa/seed-13"])
        ['snli/dsa/seed-13']
    """
    paths = [Path(os.path.abspath(folder)).parts[1:] for folder in folders]
    if len(paths) == 1:
        (path,) = paths
        start = -2
        if "runs" in path[:-1]:
            start = path.index("runs") + 1
        return ["/".join(path[start:])]
    shared = len(os.path.commonprefix([path[::-1] for path in paths]))
    paths = [path[: len(path) - shared] for path in paths]
    for count in range(1, max(map(len, paths)) + 1):
        names = ["/".join(path[-count:]) for path in paths]
        if _are_distinct(names):
            return names
    return [f"run {number}" for number in range(1, len(folders) + 1)]


def _are_distinct(names):
    """Returns whether names are nonempty and distinct."""
    return "" not in names and len(set(names)) == len(names)


def check_names(names: Sequence[str], count: int) -> None:
    """Raises `InputError` unless there are `count` distinct names."""
    if len(names) != count or len(set(names)) < count:
        raise InputError(
            f"'names': expected {count} distinct names. Received: {', '.join(names)}"
        )


def check_same_task(runs: Sequence["RunFolder"]) -> None:
    """Raises `InputError` if `RunFolder`s have different tasks or labels."""
    first, *others = runs
    first_task = first.experiment().task
    for run in others:
        task = run.experiment().task
        if task != first_task:
            raise InputError(
                f"{first.path} and {run.path} have different tasks: "
                f"{first_task.answers}, and {task.answers}"
            )


def _sort_key(key):
    """Returns the sort key of a setting: the name of the model first, then its other
    settings, then other sections."""
    return key != "model.name", not key.startswith("model."), key.count(".")


def _join_settings(settings, keys):
    """Returns the formatted settings with the given keys, separated by commas."""
    parts = [_format_setting(key, settings[key]) for key in keys if key in settings]
    return ", ".join(parts)


def _format_setting(key, value):
    """Formats a setting, such as "alpha 1.5". The name of the model has no key."""
    text = _format_value(value)
    if key == "model.name":
        return text
    return f"{key.removeprefix('model.')} {text}"


def _format_value(value):
    """Formats a value: the last part of a path, and other values as JSON."""
    if isinstance(value, str):
        return Path(value).name or value
    if isinstance(value, float):
        return f"{value:g}"
    return json.dumps(value)


def flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flattens nested settings to `{"section.key": value}`."""
    flat = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
