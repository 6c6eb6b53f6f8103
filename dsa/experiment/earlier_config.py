"""Settings that had other names in runs of version 0.1.0."""

RENAMED = {"data.learn_dev": "data.train_on_dev"}
REMOVED = {"training.tensorboard": False}  # with the only value that is read


def convert_earlier_settings(settings):
    """Give the settings of a run of version 0.1.0 the names of this version, in place.

    Args:
        settings: what a run's `config.yaml` holds; other content stays as it is.
    """
    for key, value in REMOVED.items():
        section, name = key.split(".")
        part = settings.get(section) if isinstance(settings, dict) else None
        if isinstance(part, dict) and part.get(name) is value:
            del part[name]
    for earlier, key in RENAMED.items():
        section, name = earlier.split(".")
        part = settings.get(section) if isinstance(settings, dict) else None
        if isinstance(part, dict) and name in part:
            part[key.split(".")[1]] = part.pop(name)
    return settings
