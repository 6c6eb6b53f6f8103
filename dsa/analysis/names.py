"""Short names of runs that are shown beside each other."""

from dsa.errors import InputError


def run_names(trained):
    """A name for each `TrainedModel`: the settings in which it differs from the others.

    Settings that two runs share are left out, so are data and training settings as long
    as those of the model tell the runs apart; runs without any difference are numbered.
    """
    settings = [_flat(each.experiment.model_dump(mode="json")) for each in trained]
    keys = [
        key
        for key in dict.fromkeys(key for each in settings for key in each)
        if len({repr(each.get(key)) for each in settings}) > 1
    ]
    of_model = [key for key in keys if key.startswith("model.")]
    for chosen in (of_model, [*of_model, *(k for k in keys if k not in of_model)]):
        names = [
            ", ".join(_setting(key, each.get(key)) for key in chosen)
            for each in settings
        ]
        if len(set(names)) == len(names):
            break
    if len(trained) == 1:
        return [trained[0].experiment.model.name]
    if len(set(names)) < len(names):
        names = [f"{name or 'run'} ({n})" for n, name in enumerate(names, start=1)]
    return names


def refuse_other_labels(trained):
    """Stop where runs have different label sets: nothing compares them.

    Raises: `InputError`.
    """
    first = trained[0]
    for other in trained[1:]:
        if other.task.labels != first.task.labels:
            raise InputError(
                f"{first.run.path} and {other.run.path} have different labels: "
                f"{', '.join(first.task.labels)} and {', '.join(other.task.labels)}"
            )


def _setting(key, value):
    shown = f"{value:g}" if isinstance(value, float) else value
    return f"{key.removeprefix('model.')} {shown}"


def _flat(settings, prefix=""):
    flat = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
