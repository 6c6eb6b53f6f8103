"""Reading of experiments from YAML files, with explained errors."""

import contextlib
import difflib
import hashlib
import itertools
import json
import re
import reprlib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dsa.config_section import Section
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.config_files import read_settings, strip_ending
from dsa.experiment.data_config import DataConfig, find_options, rename_option
from dsa.experiment.earlier_config import RETIRED
from dsa.experiment.strict_yaml import parse_yaml, to_yaml_types
from dsa.models.model_config import ModelConfig
from dsa.models.registry import FAMILIES

# overrides that are not part of the hash in the path of a run
NOT_HASHED = ("seed", "training.track", "training.require_gpu")
TAG = re.compile("'([^']*)'")  # a name in a list of pydantic


def parse_overrides(assignments):
    """Parses assignments such as `["training.batch_size=128"]`.

    Returns: overrides, such as `{"training.batch_size": 128}`.

    Raises: `InputError` for malformed assignments, duplicate keys, and a section with a
        key of the same section.
    """
    overrides = {}
    for assignment in assignments:
        key, separator, value = assignment.partition("=")
        if not separator or not all(key.split(".")):
            raise InputError(
                f"expected a setting 'key.key=value'. Received: '{assignment}'"
            )
        for other_key in overrides:
            _check_overlap(other_key, key)
        overrides[key] = parse_yaml(value, f"the setting '{key}'")
    return overrides


def write_assignments(overrides):
    """Converts overrides to arguments of `--set`, the inverse of `parse_overrides`."""
    return [f"{key}={_write_value(value)}" for key, value in overrides.items()]


def _write_value(value):
    """Converts a value to YAML, with quotation marks only if they are required."""
    if isinstance(value, str):
        with contextlib.suppress(InputError):
            if parse_yaml(value, "") == value:
                return value
    return json.dumps(value, ensure_ascii=False)


def _check_overlap(key, other_key):
    if key == other_key:
        raise InputError(f"the setting '{key}' is given twice")
    section, inner = sorted((key, other_key), key=len)
    if inner.startswith(f"{section}."):
        raise InputError(
            f"conflicting settings '{section}' and '{inner}': set the section or "
            "keys of the section"
        )


def _apply(settings, overrides, source):
    for key, other_key in itertools.combinations(overrides, 2):
        _check_overlap(key, other_key)
    for key, value in overrides.items():
        *sections, last = key.split(".")
        section = settings
        for name in sections:
            section = section.setdefault(name, {})
            if not isinstance(section, dict):
                raise InputError(f"{source}: '{key}': '{name}' is not a section")
        section[last] = value


def load_experiment(path, overrides=None, root=None):
    """Reads an experiment from a YAML file.

    Args:
        path: path of the file, or name of a config of the package.
        overrides: overrides, such as `{"training.batch_size": 128}`.
        root: the data root; absolute data paths are allowed if it is `/`.

    Returns: the `Experiment`.

    Raises: `InputError` with the file, the key, the allowed values and, for an unknown
        key, the most similar key.
    """
    return parse_experiment(read_settings(path), overrides, path, root)


def parse_experiment(settings, overrides=None, source="config", root=None):
    """Converts a dictionary of settings to an `Experiment`.

    Args:
        settings: nested dictionaries, which are not modified. Tuples, paths and NumPy
            values are converted by `to_yaml_types`.
        overrides, root: as in `load_experiment`.
        source: name of the settings, for error messages.

    Raises: `InputError` in the cases of `load_experiment`.
    """
    settings, overrides = to_yaml_types(settings), to_yaml_types(overrides or {})
    model = settings.get("model")
    old_name = model.get("name") if isinstance(model, dict) else None
    _apply(settings, overrides, source)
    try:
        return check_experiment(settings, source, root)
    except InputError as error:
        name = overrides.get("model.name", old_name)
        if old_name in (None, name) or ": unknown key 'model." not in str(error):
            raise
        raise InputError(
            f"{source}: 'model.name={name}': the section 'model' contains settings of "
            f"'{old_name}' that '{name}' does not have. Replace the section: "
            f"'model={{name: {name}}}', with further settings in the braces"
        ) from error


def check_experiment(settings, source, root=None):
    """Converts settings without overrides to an `Experiment`."""
    try:
        return Experiment.model_validate(settings, context={"data_root": root})
    except ValidationError as error:
        lines = [_explain(fault, settings) for fault in error.errors()]
        raise InputError("\n".join(f"{source}: {line}" for line in lines)) from error


def _explain(error, settings):
    """Describes a pydantic error in one line, with the keys of the YAML file."""
    keys = _list_keys(error["loc"], settings)
    key = ".".join(keys)
    if error["type"] == "extra_forbidden":
        moved = rename_option(keys[-1]) if keys[:-1] == ["data"] else None
        if moved:
            return f"unknown key '{key}'. It was renamed to '{moved}'"
        if keys[-1] in RETIRED.get(".".join(keys[:-1]), ()):
            return f"'{key}' is no longer supported. Remove it from the config"
        known = _list_valid_keys(keys[:-1], settings)
        near = [name for name in known if name in keys[-1].split("_")]
        return f"unknown key '{key}'. {_suggest(keys[-1], known, near)}"
    if error["type"] == "union_tag_invalid":
        name, known = error["ctx"]["tag"], TAG.findall(error["ctx"]["expected_tags"])
        return f"'{key}.name': unknown name '{name}'. {_suggest(name, known)}"
    if error["type"] == "missing":
        return f"'{key}' is missing"
    message = error["msg"]
    if error["type"] == "value_error":  # a message of this package
        message = message.removeprefix("Value error, ")
    else:
        message = message[0].lower() + message[1:]
    prefix = f"'{key}': " if key else ""
    received = error["input"]
    if isinstance(received, dict):
        return f"{prefix}{message}"
    return f"{prefix}{message}. Received: {reprlib.repr(received)}"


def _suggest(name, known, near=()):
    """Suggests the first name in `near`, else the most similar known name; lists all
    known names if there is none."""
    near = [*near, *difflib.get_close_matches(name, known, n=1)]
    return f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}"


def _list_keys(location, settings):
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


def _list_valid_keys(keys, settings) -> list[str]:
    """Returns the valid keys of a section.

    Args:
        keys: path of the section.
        settings: all settings, which determine the class of some sections.
    """
    section: Any
    value: Any
    section, value = Experiment, settings
    for key in keys:
        value = value[key]
        if section is DataConfig and key == "options":
            default = DataConfig.model_fields["corpus"].default
            section = find_options(settings["data"].get("corpus", default))
            continue
        sections = _list_sections(section.model_fields[key].annotation, value)
        matching = [choice for choice in sections if _matches_name(choice, value)]
        section = matching[0] if matching else sections[0]
    return list(section.model_fields)


def _list_sections(annotation, value):
    """Returns the section classes of an annotation, for models the class of `value`."""
    if annotation is ModelConfig:
        return [FAMILIES[value["name"]].config]
    choices = getattr(annotation, "__args__", (annotation,))
    return [c for c in choices if isinstance(c, type) and issubclass(c, Section)]


def _matches_name(section, value):
    """Returns whether the key `name` of settings selects this section class."""
    field = section.model_fields.get("name")
    return field is not None and value.get("name") in field.annotation.__args__


def display_path(config_path):
    """Returns the path of a config relative to the working directory.

    Outside the working directory, only the file name is returned, so that records
    contain no folders of this machine.
    """
    path = Path(config_path)
    if path.is_absolute():
        folder = Path.cwd()
        if not path.is_relative_to(folder):
            return Path(path.name)
        return path.relative_to(folder)
    return path


def run_path(config_path, overrides, seed):
    """Returns the default run folder: `runs`, then
    `<config path>[/<hash of overrides>]/seed-<seed>`.

    The hash excludes the seed and settings that do not affect the result. A leading
    `configs/` is removed.
    """
    path = strip_ending(display_path(config_path))
    parts = [part for part in path.parts if part != ".."]
    if parts[0] == "configs" and len(parts) > 1:
        parts = parts[1:]
    hashed = {k: v for k, v in overrides.items() if k not in NOT_HASHED}
    if hashed:
        text = json.dumps(hashed, sort_keys=True)
        parts.append(hashlib.sha256(text.encode()).hexdigest()[:8])
    return Path("runs", *parts, f"seed-{seed}")
