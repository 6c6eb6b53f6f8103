"""Short names of runs that are shown beside each other."""

import itertools

from dsa.errors import InputError

MOST_SETTINGS = 3  # that a name holds


def differences(trained):
    """The settings in which the runs of some `TrainedModel`s differ: a list of keys."""
    settings = [_settings(each) for each in trained]
    keys = dict.fromkeys(key for each in settings for key in each)
    return [k for k in keys if len({repr(each.get(k)) for each in settings}) > 1]


def run_names(trained):
    """A name for each `TrainedModel`: the fewest settings that tell them apart, those
    of the model first; `differences` has all. Runs without such settings are numbered.
    """
    if len(trained) == 1:
        return [trained[0].experiment.model.name]
    settings = [_settings(each) for each in trained]
    keys = sorted(differences(trained), key=_order)
    for count in range(1, MOST_SETTINGS + 1):
        for chosen in itertools.combinations(keys, count):
            names = [
                ", ".join(_shown(key, each.get(key)) for key in chosen)
                for each in settings
            ]
            if len(set(names)) == len(names):
                return names
    return [f"run {number}" for number in range(1, len(trained) + 1)]


def refuse_other_tasks(trained):
    """Stop where runs have different tasks, such as label sets: nothing compares them.

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
    """The model's name, its other settings, the rest."""
    return key != "model.name", not key.startswith("model."), key.count(".")


def _shown(key, value):
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return shown if key == "model.name" else f"{key.removeprefix('model.')} {shown}"


def _settings(trained):
    return _flat(trained.experiment.model_dump(mode="json"))


def _flat(settings, prefix=""):
    flat = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
