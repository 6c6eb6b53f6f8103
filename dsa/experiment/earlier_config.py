"""Settings that had other names in runs of version 0.1.0."""

from typing import Any

RENAMED = {"learn_dev": "train_on_dev"}  # of `data`
OPTIONS = {  # of `data.options`, by the corpus that has them
    "phrases": "sst",
    "oversample": "sst",
    "train_questions": "wikiqa",
}


def convert_earlier_settings(settings: Any) -> Any:
    """Gives the settings of a run of version 0.1.0 the names of this version, in place.

    Args:
        settings: what a run's `config.yaml` holds; other content stays as it is.
    """
    if not isinstance(settings, dict):
        return settings
    training = settings.get("training")
    if isinstance(training, dict) and "tensorboard" in training:
        asked, track = training.pop("tensorboard"), training.get("track") or []
        if asked is True and isinstance(track, list):
            training["track"] = [*track, "tensorboard"]
    data = settings.get("data")
    if not isinstance(data, dict):
        return settings
    for earlier, name in RENAMED.items():
        if earlier in data:
            data.setdefault(name, data.pop(earlier))
    for name, corpus in OPTIONS.items():
        if name in data:
            value = data.pop(name)  # a default, where the corpus is another one
            options = data.get("options") or {}
            if data.get("corpus") == corpus and isinstance(options, dict):
                data["options"] = {**options, name: value}
    return settings
