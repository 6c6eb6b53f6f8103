"""Short names of runs in tables and plots."""

import itertools
import json
import os
from pathlib import Path

from dsa.errors import InputError

MAX_SETTINGS = 3  # per name


def find_differences(trained):
    """Returns the keys of the settings that differ between `TrainedModel`s."""
    return _find_differences([_read_settings(model.experiment) for model in trained])


def _find_differences(settings):
    keys = dict.fromkeys(key for run_settings in settings for key in run_settings)
    return [
        key
        for key in keys
        if len({repr(run_settings.get(key)) for run_settings in settings}) > 1
    ]


def describe_differences(trained, count):
    """Returns the settings that differ between two groups of runs, as lines of text.

    Args:
        trained: `TrainedModel`s.
        count: number of models in the first group.
    """
    settings = [_read_settings(model.experiment) for model in trained]
    lines = []
    for key in _find_differences(settings):
        values = [_show_value(run_settings.get(key)) for run_settings in settings]
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
    if _are_names(known):
        return known
    experiments = [run.experiment() for run in runs]
    if len(runs) == 1:
        return [experiments[0].model.name]
    settings = [_read_settings(experiment) for experiment in experiments]
    keys = sorted(_find_differences(settings), key=_order)
    for count in range(1, MAX_SETTINGS + 1):
        for chosen in itertools.combinations(keys, count):
            names = [
                ", ".join(
                    _show_setting(k, run_settings[k])
                    for k in chosen
                    if k in run_settings
                )
                for run_settings in settings
            ]
            if _are_names(names):
                return names
    return name_folders([run.known_as or run.path for run in runs])


def name_folders(folders):
    """Returns a distinct name for each run folder: the shortest different parts of the
    paths, without a common end. Equal folders are numbered; a single folder is named by
    its path below `runs/`, or by its last two parts.

    Example:
        >>> name_folders(["runs/snli/dsa/seed-13", "runs/snli/disan/seed-13"])
        ['dsa', 'disan']
        >>> name_folders(["runs/snli/dsa/seed-13"])
        ['snli/dsa/seed-13']
    """
    paths = [Path(os.path.abspath(folder)).parts[1:] for folder in folders]
    if len(paths) == 1:
        (path,) = paths
        begin = path.index("runs") + 1 if "runs" in path[:-1] else -2
        return ["/".join(path[begin:])]
    end = len(os.path.commonprefix([path[::-1] for path in paths]))
    rests = [path[: len(path) - end] for path in paths]
    for count in range(1, max(map(len, rests)) + 1):
        names = ["/".join(rest[-count:]) for rest in rests]
        if _are_names(names):
            return names
    return [f"run {number}" for number in range(1, len(folders) + 1)]


def _are_names(texts):
    return "" not in texts and len(set(texts)) == len(texts)


def check_names(names, count):
    """Raises `InputError` unless there are `count` different names."""
    if len(names) != count or len(set(names)) < count:
        raise InputError(
            f"'names': {count} different names are needed. Received: {', '.join(names)}"
        )


def check_same_task(runs):
    """Raises `InputError` for `RunFolder`s with different tasks or labels, which cannot
    be compared."""
    first, *others = [(run.path, run.experiment().task) for run in runs]
    for path, task in others:
        if task != first[1]:
            raise InputError(
                f"{first[0]} and {path} answer differently: with {first[1].answers}, "
                f"and with {task.answers}"
            )


def _order(key):
    """Sort key: the name of the model, its other settings, then the rest."""
    return key != "model.name", not key.startswith("model."), key.count(".")


def _show_setting(key, value):
    shown = _show_value(value)
    return shown if key == "model.name" else f"{key.removeprefix('model.')} {shown}"


def _show_value(value):
    """Formats a value for a name: paths by their last part, other values as YAML."""
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
