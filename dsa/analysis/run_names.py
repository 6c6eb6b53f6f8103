"""Short names of runs that are shown beside each other."""

import itertools

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
    apart, those of the model first. Runs that no setting tells apart are numbered.
    """
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


def refuse_other_tasks(trained):
    """Stop at runs of different tasks, such as different labels: nothing compares them.

    Raises: `InputError`.
    """
    first = trained[0]
    for other in trained[1:]:
        if other.task != first.task:
            raise InputError(
                f"{first.run.path} and {other.run.path} answer differently: with "
                f"{first.task.answers}, and with {other.task.answers}"
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
    return _flatten(trained.experiment.model_dump(mode="json"))


def _flatten(settings, prefix=""):
    flat = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            flat |= _flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
