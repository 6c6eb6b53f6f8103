"""Short names of runs that are shown beside each other."""

import itertools
import os
from pathlib import Path

from dsa.errors import InputError

MOST_SETTINGS = 3  # in a name


def find_differences(trained):
    """The settings in which the runs of some `TrainedModel`s differ: a list of keys."""
    settings = [_read_settings(model) for model in trained]
    keys = dict.fromkeys(key for of_run in settings for key in of_run)
    return [
        key for key in keys if len({repr(of_run.get(key)) for of_run in settings}) > 1
    ]


def describe_differences(trained, count):
    """The settings in which two groups of runs differ, as lines of text.

    Args:
        trained: `TrainedModel`s.
        count: how many of them are of the first group.
    """
    settings = [_read_settings(model) for model in trained]
    lines = []
    for key in find_differences(trained):
        values = [_show_value(of_run.get(key)) for of_run in settings]
        first, other = (
            " and ".join(dict.fromkeys(part))
            for part in (values[:count], values[count:])
        )
        if first != other:
            lines.append(f"  {key}: {first}, {other}")
    if not lines:
        return ["no setting differs"]
    return ["settings that differ:", *lines]


def name_runs(trained):
    """A name for each of some `TrainedModel`s: the fewest settings that tell the runs
    apart, those of the model first. Runs that no setting tells apart are numbered."""
    if len(trained) == 1:
        return [trained[0].experiment.model.name]
    settings = [_read_settings(model) for model in trained]
    keys = sorted(find_differences(trained), key=_order)
    for count in range(1, MOST_SETTINGS + 1):
        for chosen in itertools.combinations(keys, count):
            names = [
                ", ".join(_show_setting(key, of_run.get(key)) for key in chosen)
                for of_run in settings
            ]
            if len(set(names)) == len(names):
                return names
    return [f"run {number}" for number in range(1, len(trained) + 1)]


def name_folders(folders):
    """A name for each of some run folders: the parts of their paths that differ. Equal
    folders are numbered; a single one is named from below `runs/` on, or by its last
    two parts.

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
    begin = len(os.path.commonprefix(paths))
    rests = [path[begin:] for path in paths]
    end = len(os.path.commonprefix([rest[::-1] for rest in rests]))
    names = ["/".join(rest[: len(rest) - end]) for rest in rests]
    if "" in names or len(set(names)) < len(names):
        return [f"run {number}" for number in range(1, len(names) + 1)]
    return names


def check_names(names, count):
    """Raises `InputError` for names, on the command line, that are not one for each of
    `count` runs."""
    if len(names) != count or len(set(names)) < count:
        raise InputError(
            f"--names: {count} different names are needed. Received: {', '.join(names)}"
        )


def check_same_task(runs):
    """Raises `InputError` for `RunFolder`s of different tasks, or different labels:
    nothing compares them."""
    first, *others = [(run.path, run.experiment().task) for run in runs]
    for path, task in others:
        if task != first[1]:
            raise InputError(
                f"{first[0]} and {path} answer differently: with {first[1].answers}, "
                f"and with {task.answers}"
            )


def _order(key):
    """A sort key: the model's name, its other settings, then the rest."""
    return key != "model.name", not key.startswith("model."), key.count(".")


def _show_setting(key, value):
    shown = _show_value(value)
    return shown if key == "model.name" else f"{key.removeprefix('model.')} {shown}"


def _show_value(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read_settings(trained):
    return flatten(trained.experiment.model_dump(mode="json"))


def flatten(settings, prefix=""):
    """Nested settings as `{"section.key": value}`."""
    flat = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
