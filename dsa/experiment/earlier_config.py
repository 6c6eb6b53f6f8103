"""Renamed and retired settings of earlier versions."""

import re
from typing import Any

from dsa.errors import InputError

RENAMED = {"learn_dev": "train_on_dev"}  # of `data`
OPTIONS = {  # of `data.options`, by the corpus that has them
    "phrases": "sst",
    "oversample": "sst",
    "train_questions": "wikiqa",
}
RETIRED = {  # neutral values of retired settings, by section
    "training": {"steps_at_once": "1"},
}


def check_no_retired_settings(text: str, source: object) -> None:
    """Raises `InputError` for a retired setting that changed the training.

    Args:
        text: the `config.yaml` of a run, with every setting on its own line.
        source: the name of the file, for the error.
    """
    for section, names in RETIRED.items():
        for name, neutral in names.items():
            setting = re.search(rf"^ +{name}: *(\S+)", text, re.MULTILINE)
            if setting and setting[1] != neutral:
                raise InputError(
                    f"{source}: '{section}.{name}: {setting[1]}' is retired, so this "
                    "run can be evaluated but not trained any further"
                )


def convert_earlier_settings(settings: Any) -> Any:
    """Renames settings of earlier versions and drops retired ones, in place.

    Args:
        settings: content of the `config.yaml` of a run; only dictionaries change.
    """
    if not isinstance(settings, dict):
        return settings
    _drop_retired_settings(settings)
    training = settings.get("training")
    if isinstance(training, dict) and "tensorboard" in training:
        enabled, track = training.pop("tensorboard"), training.get("track") or []
        if enabled is True and isinstance(track, list):
            training["track"] = [*track, "tensorboard"]
    data = settings.get("data")
    if not isinstance(data, dict):
        return settings
    for earlier, name in RENAMED.items():
        if earlier in data:
            data.setdefault(name, data.pop(earlier))
    for name, corpus in OPTIONS.items():
        if name in data:
            value = data.pop(name)  # other corpora have the default value
            options = data.get("options") or {}
            if data.get("corpus") == corpus and isinstance(options, dict):
                data["options"] = {**options, name: value}
    return settings


def _drop_retired_settings(settings):
    for section, names in RETIRED.items():
        for name in names:
            if isinstance(settings.get(section), dict):
                settings[section].pop(name, None)
