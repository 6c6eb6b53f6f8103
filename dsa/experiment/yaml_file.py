"""Reads experiments from YAML files and explains invalid settings."""

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

# overrides that do not change the path of a run
NOT_HASHED = ("seed", "training.track", "training.require_gpu")
TAG = re.compile("'([^']*)'")  # a name in pydantic's list


def parse_overrides(assignments):
    """Parses assignments such as `["training.batch_size=128"]`.

    Returns: overrides, such as `{"training.batch_size": 128}`.

    Raises: `InputError` for malformed and for conflicting assignments: a duplicate key,
        or a section and a key of this section.
    """
    overrides = {}
    for assignment in assignments:
        key, separator, value = assignment.partition("=")
        if not separator or not all(key.split(".")):
            raise InputError(
                f"a setting is written 'key.key=value'. Received: '{assignment}'"
            )
        for earlier in overrides:
            _check_overlap(earlier, key)
        overrides[key] = parse_yaml(value, f"the setting '{key}'")
    return overrides


def write_assignments(overrides):
    """Returns overrides as arguments of `--set`; the inverse of `parse_overrides`."""
    return [f"{key}={_write_value(value)}" for key, value in overrides.items()]


def _write_value(value):
    """Returns a value as YAML, without quotation marks if they are not needed."""
    if isinstance(value, str):
        with contextlib.suppress(InputError):
            if parse_yaml(value, "") == value:
                return value
    return json.dumps(value, ensure_ascii=False)


def _check_overlap(earlier, key):
    if key == earlier:
        raise InputError(f"the setting '{key}' is given twice")
    section, inner = sorted((earlier, key), key=len)
    if inner.startswith(f"{section}."):
        raise InputError(
            f"conflicting settings '{section}' and '{inner}': set the section or "
            "the keys in it"
        )


def _apply(settings, overrides, source):
    for earlier, key in itertools.combinations(overrides, 2):
        _check_overlap(earlier, key)
    for key, value in overrides.items():
        *sections, last = key.split(".")
        section = settings
        for name in sections:
            section = section.setdefault(name, {})
            if not isinstance(section, dict):
                raise InputError(f"{source}: '{key}': '{name}' has no keys")
        section[last] = value


def load_experiment(path, overrides=None, root=None):
    """Reads an experiment from a YAML file.

    Args:
        path: the file, or the name of a config of the package.
        overrides: such as `{"training.batch_size": 128}`, see `parse_overrides`.
        root: the data root; absolute data paths are allowed if it is `/`.

    Returns: the `Experiment`.

    Raises: `InputError` that names file, key, allowed values and, for an unknown key,
        the most similar key.
    """
    return parse_experiment(read_settings(path), overrides, path, root)


def parse_experiment(settings, overrides=None, source="config", root=None):
    """Returns the `Experiment` of a dictionary of settings.

    Args:
        settings: nested dictionaries, which are not modified. Tuples, paths and NumPy
            values are converted by `to_yaml_types`.
        overrides, root: as in `load_experiment`.
        source: name of the settings, for errors.

    Raises: `InputError` as `load_experiment`.
    """
    settings, overrides = to_yaml_types(settings), to_yaml_types(overrides or {})
    model = settings.get("model")
    old = model.get("name") if isinstance(model, dict) else None
    _apply(settings, overrides, source)
    try:
        return check_experiment(settings, source, root)
    except InputError as error:
        new = overrides.get("model.name", old)
        if old in (None, new) or ": unknown key 'model." not in str(error):
            raise
        raise InputError(
            f"{source}: 'model.name={new}': the section 'model' has settings of "
            f"'{old}' that '{new}' lacks. Replace it as a whole: 'model={{name: {new}}}"
            "', with other settings in the braces"
        ) from error


def check_experiment(settings, source, root=None):
    """Validates settings without overrides, as `parse_experiment`."""
    try:
        return Experiment.model_validate(settings, context={"data_root": root})
    except ValidationError as error:
        lines = [_explain(fault, settings) for fault in error.errors()]
        raise InputError("\n".join(f"{source}: {line}" for line in lines)) from error


def _explain(error, settings):
    """Returns one line that explains a pydantic error in terms of the YAML file."""
    keys = _list_keys(error["loc"], settings)
    key = ".".join(keys)
    if error["type"] == "extra_forbidden":
        moved = rename_option(keys[-1]) if keys[:-1] == ["data"] else None
        if moved:
            return f"unknown key '{key}'. It is called '{moved}'"
        if keys[-1] in RETIRED.get(".".join(keys[:-1]), ()):
            return f"'{key}' is retired. Remove it from the config"
        known = _list_valid_keys(keys[:-1], settings)
        near = [name for name in known if name in keys[-1].split("_")]
        return f"unknown key '{key}'. {_suggest(keys[-1], known, near)}"
    if error["type"] == "union_tag_invalid":
        name, known = error["ctx"]["tag"], TAG.findall(error["ctx"]["expected_tags"])
        return f"'{key}.name': unknown name '{name}'. {_suggest(name, known)}"
    if error["type"] == "missing":
        return f"'{key}' is missing"
    message = error["msg"]
    if error["type"] == "value_error":  # messages of this package keep their case
        message = message.removeprefix("Value error, ")
    else:
        message = message[0].lower() + message[1:]
    prefix = f"'{key}': " if key else ""
    received = error["input"]
    if isinstance(received, dict):
        return f"{prefix}{message}"
    return f"{prefix}{message}. Received: {reprlib.repr(received)}"


def _suggest(name, known, near=()):
    """Returns the most similar known name, first from `near`, or all known names."""
    near = [*near, *difflib.get_close_matches(name, known, n=1)]
    return f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}"


def _list_keys(location, settings):
    """Returns the YAML keys of a pydantic location, without tags of unions."""
    keys: list[str] = []
    value: Any = settings
    for part in map(str, location):
        tagged = isinstance(value, dict) and part not in value
        if tagged and value.get("name") == part:
            continue
        keys.append(part)
        value = value.get(part) if isinstance(value, dict) else None
    return keys


def _list_valid_keys(keys, settings) -> list[str]:
    """Returns the valid keys of the section at `keys`."""
    section: Any
    value: Any
    section, value = Experiment, settings
    for key in keys:
        value = value[key]
        if section is DataConfig and key == "options":
            section = find_options(
                settings["data"].get(
                    "corpus", DataConfig.model_fields["corpus"].default
                )
            )
            continue
        sections = _list_sections(section.model_fields[key].annotation, value)
        named = [choice for choice in sections if _has_name(choice, value)]
        section = (named or sections)[0]
    return list(section.model_fields)


def _list_sections(annotation, value):
    """Returns the section classes of an annotation; the class of `value` for models."""
    if annotation is ModelConfig:
        return [FAMILIES[value["name"]].config]
    choices = getattr(annotation, "__args__", (annotation,))
    return [c for c in choices if isinstance(c, type) and issubclass(c, Section)]


def _has_name(section, value):
    """Returns whether the settings `value` have a name of this section class."""
    field = section.model_fields.get("name")
    return field is not None and value.get("name") in field.annotation.__args__


def shown_path(config_path):
    """Returns the path of a config relative to the working directory, or the file name
    if it is outside: folders of this machine are not shown."""
    path = Path(config_path)
    if path.is_absolute():
        folder = Path.cwd()
        if not path.is_relative_to(folder):
            return Path(path.name)
        return path.relative_to(folder)
    return path


def run_path(config_path, overrides, seed):
    """Returns the default run folder, `<config path>[/<hash of overrides>]/seed-<n>`.

    The hash excludes the seed and settings that do not change the result. A leading
    `configs/` is removed.
    """
    path = strip_ending(shown_path(config_path))
    parts = [part for part in path.parts if part != ".."]
    if parts[0] == "configs" and len(parts) > 1:
        parts = parts[1:]
    others = {k: v for k, v in overrides.items() if k not in NOT_HASHED}
    if others:
        text = json.dumps(others, sort_keys=True)
        parts.append(hashlib.sha256(text.encode()).hexdigest()[:8])
    return Path("runs", *parts, f"seed-{seed}")
