"""Settings that had other names in runs of version 0.1.0."""

RENAMED = {"data.learn_dev": "data.train_on_dev"}


def convert_earlier_settings(settings):
    """Give the settings of a run of version 0.1.0 the names of this version, in place.

    Args:
        settings: what a run's `config.yaml` holds; other content stays as it is.
    """
    for earlier, key in RENAMED.items():
        section, name = earlier.split(".")
        part = settings.get(section) if isinstance(settings, dict) else None
        if isinstance(part, dict) and name in part:
            part[key.split(".")[1]] = part.pop(name)
    return settings
