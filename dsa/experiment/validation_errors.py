"""Formats validation errors of experiments, with the keys of the YAML file."""

import difflib
import re
import reprlib
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import ValidationError

from dsa.config_section import Section
from dsa.experiment.config import Experiment
from dsa.experiment.data_config import DataConfig, find_options, rename_option
from dsa.experiment.earlier_config import RETIRED
from dsa.models.model_config import ModelConfig
from dsa.models.registry import FAMILIES

QUOTED_NAME = re.compile("'([^']*)'")  # in pydantic's `expected_tags`


def format_validation_error(
    validation_error: ValidationError, settings: Any, source: object
) -> str:
    """Formats a validation error, with one line per invalid key.

    Args:
        validation_error: error of `Experiment.model_validate`.
        settings: the invalid settings.
        source: name of the settings, at the start of each line.
    """
    errors = validation_error.errors()
    return "\n".join(f"{source}: {_format_error(error, settings)}" for error in errors)


def has_unknown_model_key(validation_error: ValidationError) -> bool:
    """Returns whether the section `model` contains an unknown key."""
    return any(
        error["type"] == "extra_forbidden" and error["loc"][0] == "model"
        for error in validation_error.errors()
    )


def _format_error(error: Any, settings: Any) -> str:
    """Formats an error of pydantic as one line of text."""
    keys = _list_keys(error["loc"], settings)
    key = ".".join(keys)
    if error["type"] == "extra_forbidden":
        return _format_unknown_key(keys, settings)
    if error["type"] == "union_tag_invalid":
        name = error["ctx"]["tag"]
        known_names = QUOTED_NAME.findall(error["ctx"]["expected_tags"])
        return f"'{key}.name': unknown name '{name}'. {_suggest(name, known_names)}"
    if error["type"] == "missing":
        return f"'{key}' is missing"
    message = error["msg"]
    if error["type"] == "value_error":  # raised by a validator of this package
        message = message.removeprefix("Value error, ")
    else:
        message = message[0].lower() + message[1:]
    received = error["input"]
    if isinstance(received, dict) and error["type"] == "value_error":
        return message  # the message of a section contains the full keys
    prefix = f"'{key}': " if key else ""
    if isinstance(received, dict):
        return f"{prefix}{message}"
    return f"{prefix}{message}. Received: {reprlib.repr(received)}"


def _format_unknown_key(keys: Sequence[str], settings: Any) -> str:
    """Formats the error for an unknown, renamed or retired key.

    Args:
        keys: names of the sections, and the key.
        settings: all settings.
    """
    *sections, name = keys
    key = ".".join(keys)
    new_name = rename_option(name) if sections == ["data"] else None
    if new_name is not None:
        return f"unknown key '{key}'. It was renamed to '{new_name}'"
    if name in RETIRED.get(".".join(sections), ()):
        return f"'{key}' is no longer supported. Remove it from the config"
    known_keys = _list_valid_keys(sections, settings)
    parts = name.split("_")
    for known_key in known_keys:  # suggest `units` for `lstm_units`
        if known_key in parts:
            return f"unknown key '{key}'. Did you mean '{known_key}'?"
    return f"unknown key '{key}'. {_suggest(name, known_keys)}"


def _suggest(name: str, known: Sequence[str]) -> str:
    """Returns "Did you mean ...?" for a similar name, or a list of the known names."""
    similar = difflib.get_close_matches(name, known, n=1)
    if similar:
        return f"Did you mean '{similar[0]}'?"
    return f"Known: {', '.join(known)}"


def _list_keys(location: Sequence[str | int], settings: Any) -> list[str]:
    """Returns the YAML keys of a pydantic location, without the tags of unions."""
    keys: list[str] = []
    value: Any = settings
    for part in map(str, location):
        may_be_tag = isinstance(value, dict) and part not in value
        if may_be_tag and value.get("name") == part:
            continue
        keys.append(part)
        value = value.get(part) if isinstance(value, dict) else None
    return keys


def _list_valid_keys(keys: Sequence[str], settings: Any) -> list[str]:
    """Returns the valid keys of a section.

    Args:
        keys: path of the section.
        settings: all settings, which determine the class of some sections.
    """
    section: Any = Experiment
    value = settings
    for key in keys:
        value = value[key]
        if section is DataConfig and key == "options":
            default_corpus = DataConfig.model_fields["corpus"].default
            section = find_options(settings["data"].get("corpus", default_corpus))
            continue
        sections = _list_sections(section.model_fields[key].annotation, value)
        section = sections[0]
        for candidate in sections:
            if _is_selected_by_name(candidate, value):
                section = candidate
                break
    return list(section.model_fields)


def _list_sections(annotation: Any, value: Any) -> list[Any]:
    """Returns the section classes of an annotation.

    For `ModelConfig`, the class is selected by `value["name"]`.
    """
    if annotation is ModelConfig:
        return [FAMILIES[value["name"]].config]
    classes = get_args(annotation) or (annotation,)
    return [
        section
        for section in classes
        if isinstance(section, type) and issubclass(section, Section)
    ]


def _is_selected_by_name(section: Any, value: Any) -> bool:
    """Returns whether `value["name"]` selects this class of a union."""
    field = section.model_fields.get("name")
    return field is not None and value.get("name") in get_args(field.annotation)
