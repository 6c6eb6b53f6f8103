"""Short names of runs in tables and plots."""

import itertools
import json
import os
from pathlib import Path

from dsa.errors import InputError

MAX_SETTINGS = 3  # maximum number of settings in a name


def find_differences(trained):
    """Returns the keys of the settings in which some `TrainedModel`s differ."""
    return _find_differences([_read_settings(model.experiment) for model in trained])


def _find_differences(settings):
    keys = dict.fromkeys(key for run_settings in settings for key in run_settings)
    return [
        key
        for key in keys
        if len({repr(run_settings.get(key)) for run_settings in settings}) > 1
    ]


def describe_differences(trained, count):
    """Returns lines of text with the settings that differ between two groups of runs.

    Args:
        trained: `TrainedModel`s of both groups.
        count: number of models in the first group.
    """
    settings = [_read_settings(model.experiment) for model in trained]
    lines = []
    for key in _find_differences(settings):
        values = [_format_value(run_settings.get(key)) for run_settings in settings]
        first, other = (
            " and ".join(dict.fromkeys(part))
            for part in (values[:count], values[count:])
        )
        if first != other:
            lines.append(f"  {key}: {first}, {other}")
    if not lines:
        return ["no setting differs"]
    return ["settings that differ:", *lines]


def name_runs(runs):
    """Returns a distinct name for each `RunFolder`, such as "alpha 1.5" and "alpha 0".

    Releases and runs of a hub keep their names. Otherwise, a name has the fewest
    settings that distinguish the runs, settings of the model first. Runs with equal
    settings are named by their folders, a single run by its model.
    """
    known = [run.known_as or "" for run in runs]
    if _are_distinct(known):
        return known
    experiments = [run.experiment() for run in runs]
    if len(runs) == 1:
        return [experiments[0].model.name]
    settings = [_read_settings(experiment) for experiment in experiments]
    keys = sorted(_find_differences(settings), key=_sort_key)
    for count in range(1, MAX_SETTINGS + 1):
        for chosen in itertools.combinations(keys, count):
            names = [_join_settings(run_settings, chosen) for run_settings in settings]
            if _are_distinct(names):
                return names
    return name_folders([run.known_as or run.path for run in runs])


def name_folders(folders):
    """Returns a distinct name for each run folder.

    The names are the shortest distinct ends of the paths, without the end that all
    paths share. Equal folders are numbered. The name of a single folder is its path
    below `runs/`, or its last two parts.

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


def check_names(names, count):
    """Raises `InputError` unless there are `count` distinct names."""
    if len(names) != count or len(set(names)) < count:
        raise InputError(
            f"'names': expected {count} distinct names. Received: {', '.join(names)}"
        )


def check_same_task(runs):
    """Raises `InputError` if `RunFolder`s have different tasks or labels, which cannot
    be compared."""
    first, *others = [(run.path, run.experiment().task) for run in runs]
    for path, task in others:
        if task != first[1]:
            raise InputError(
                f"{first[0]} and {path} have different tasks: {first[1].answers}, and "
                f"{task.answers}"
            )


def _sort_key(key):
    """Sorts keys: the name of the model, its other settings, other sections."""
    return key != "model.name", not key.startswith("model."), key.count(".")


def _join_settings(settings, keys):
    parts = [_format_setting(key, settings[key]) for key in keys if key in settings]
    return ", ".join(parts)


def _format_setting(key, value):
    text = _format_value(value)
    return text if key == "model.name" else f"{key.removeprefix('model.')} {text}"


def _format_value(value):
    """Formats a value for a name: the last part of a path, other values as JSON."""
    if isinstance(value, str):
        return Path(value).name or value
    return f"{value:g}" if isinstance(value, float) else json.dumps(value)


def _read_settings(experiment):
    return flatten(experiment.model_dump(mode="json"))


def flatten(settings, prefix=""):
    """Flattens nested settings to `{"section.key": value}`."""
    flat = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
