"""Conversion of configs of earlier versions: renamed and retired settings."""

import re
from typing import Any

from dsa.errors import InputError

RENAMED = {"learn_dev": "train_on_dev"}  # keys of `data`
OPTIONS = {  # keys that were moved from `data` to `data.options`, and their corpus
    "phrases": "sst",
    "oversample": "sst",
    "train_questions": "wikiqa",
}
RETIRED = {  # by section: retired settings with the value that had no effect
    "training": {"steps_at_once": "1"},
}


def check_no_retired_settings(text: str, source: object) -> None:
    """Raises `InputError` for a retired setting that had an effect on the training.

    Args:
        text: `config.yaml` of a run, which has one setting per line.
        source: name of the file, for error messages.
    """
    for section, names in RETIRED.items():
        for name, neutral in names.items():
            match = re.search(rf"^ +{name}: *(\S+)", text, re.MULTILINE)
            if match and match[1] != neutral:
                raise InputError(
                    f"{source}: '{section}.{name}: {match[1]}' is no longer "
                    "supported. The run can be evaluated, but not resumed"
                )


def convert_earlier_settings(settings: Any) -> Any:
    """Renames settings of earlier versions and removes retired settings, in place.

    Args:
        settings: content of `config.yaml` of a run. Types other than dictionaries are
            returned unchanged.

    Returns: the settings.
    """
    if not isinstance(settings, dict):
        return settings
    _remove_retired_settings(settings)
    training = settings.get("training")
    if isinstance(training, dict) and "tensorboard" in training:
        enabled, track = training.pop("tensorboard"), training.get("track") or []
        if enabled is True and isinstance(track, list):
            training["track"] = [*track, "tensorboard"]
    _remove_settings_without_effect(settings)
    data = settings.get("data")
    if not isinstance(data, dict):
        return settings
    for old_name, name in RENAMED.items():
        if old_name in data:
            data.setdefault(name, data.pop(old_name))
    for name, corpus in OPTIONS.items():
        if name in data:
            value = data.pop(name)  # the default value for other corpora
            options = data.get("options") or {}
            if data.get("corpus") == corpus and isinstance(options, dict):
                data["options"] = {**options, name: value}
    return settings


def _remove_retired_settings(settings):
    for section, names in RETIRED.items():
        for name in names:
            if isinstance(settings.get(section), dict):
                settings[section].pop(name, None)


def _remove_settings_without_effect(settings):
    """Removes settings that had no effect in earlier versions and are errors now."""
    training, features = settings.get("training"), settings.get("features")
    if isinstance(training, dict):
        optimizer = training.get("optimizer")
        if isinstance(optimizer, dict) and not optimizer.get("momentum"):
            optimizer.pop("nesterov", None)
    model = settings.get("model")
    if isinstance(features, dict) and isinstance(model, dict):
        classifier = model.get("final_classifier", "network")
        if not features.get("names") and classifier == "network":
            features.pop("standardize", None)
