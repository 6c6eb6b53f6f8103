"""YAML files that hold one experiment each, and what is wrong with them."""

import contextlib
import copy
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
from dsa.experiment.strict_yaml import parse_yaml
from dsa.models.model_config import ModelConfig
from dsa.models.registry import FAMILIES

# overrides that do not change the path of a run
NOT_HASHED = ("seed", "training.track", "training.require_gpu")
TAG = re.compile("'([^']*)'")  # of pydantic's list of names


def parse_overrides(assignments):
    """`["training.batch_size=128"]` to `{"training.batch_size": 128}`.

    Raises: `InputError` for another form, and where one assignment would undo another:
        a key that is given twice, or a section and a key in it.
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
    """Returns overrides as the arguments of `--set`, which `parse_overrides` reads back
    as the same."""
    return [f"{key}={_write_value(value)}" for key, value in overrides.items()]


def _write_value(value):
    """A text as it is where YAML reads it so, else in quotation marks."""
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
            f"the settings '{section}' and '{inner}': the one would undo the other. "
            "Set the section or the keys in it"
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
    """Read an experiment from a YAML file.

    Args:
        path: the file, or the name of a config that comes with the package.
        overrides: `{"training.batch_size": 128}`, see `parse_overrides`.
        root: the data root; if it is `/`, paths of data can be absolute.

    Raises: `InputError` naming file, key, what is allowed and, for an unknown key, the
        nearest known one.
    """
    return experiment_of(read_settings(path), overrides, path, root)


def experiment_of(settings, overrides=None, source="config", root=None):
    """The `Experiment` of a dictionary of settings, which stays as it is.

    Args and raises: as `load_experiment`; `source` names the settings in errors.
    """
    settings, overrides = copy.deepcopy(settings), overrides or {}
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
    """The `Experiment` of a dictionary of settings; `source` names it in errors."""
    try:
        return Experiment.model_validate(settings, context={"data_root": root})
    except ValidationError as error:
        lines = [_explain(fault, settings) for fault in error.errors()]
        raise InputError("\n".join(f"{source}: {line}" for line in lines)) from error


def _explain(error, settings):
    """One line about one pydantic error, in terms of the YAML file."""
    keys = _keys_of(error["loc"], settings)
    key = ".".join(keys)
    if error["type"] == "extra_forbidden":
        moved = rename_option(keys[-1]) if keys[:-1] == ["data"] else None
        if moved:
            return f"unknown key '{key}'. It is called '{moved}'"
        if keys[-1] in RETIRED.get(".".join(keys[:-1]), ()):
            return f"'{key}' is retired. Remove it from the config"
        known = _known_keys(keys[:-1], settings)
        near = [name for name in known if name in keys[-1].split("_")]
        return f"unknown key '{key}'. {_suggest(keys[-1], known, near)}"
    if error["type"] == "union_tag_invalid":
        name, known = error["ctx"]["tag"], TAG.findall(error["ctx"]["expected_tags"])
        return f"'{key}.name': unknown name '{name}'. {_suggest(name, known)}"
    if error["type"] == "missing":
        return f"'{key}' is missing"
    message = error["msg"]
    if error["type"] == "value_error":  # our own words, which keep their case
        message = message.removeprefix("Value error, ")
    else:
        message = message[0].lower() + message[1:]
    where = f"'{key}': " if key else ""
    given = error["input"]
    if isinstance(given, dict):
        return f"{where}{message}"
    return f"{where}{message}. Received: {reprlib.repr(given)}"


def _suggest(name, known, near=()):
    """The nearest of the known names, those of `near` first; else all of them."""
    near = [*near, *difflib.get_close_matches(name, known, n=1)]
    return f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}"


def _keys_of(location, settings):
    """The YAML keys of a pydantic location, without the tags of unions in it."""
    keys: list[str] = []
    value: Any = settings
    for part in map(str, location):
        tagged = isinstance(value, dict) and part not in value
        if tagged and value.get("name") == part:
            continue
        keys.append(part)
        value = value.get(part) if isinstance(value, dict) else None
    return keys


def _known_keys(keys, settings) -> list[str]:
    """The keys that the section at `keys` may have."""
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
        sections = _sections(section.model_fields[key].annotation, value)
        named = [choice for choice in sections if _has_name(choice, value)]
        section = (named or sections)[0]
    return list(section.model_fields)


def _sections(annotation, value):
    """The sections that an annotation allows; of models the one that `value` names."""
    if annotation is ModelConfig:
        return [FAMILIES[value["name"]].config]
    choices = getattr(annotation, "__args__", (annotation,))
    return [c for c in choices if isinstance(c, type) and issubclass(c, Section)]


def _has_name(section, value):
    """Whether `value`, the settings of a section, names this one."""
    field = section.model_fields.get("name")
    return field is not None and value.get("name") in field.annotation.__args__


def shown_path(config_path):
    """A config's path without folders of this machine: relative to the working
    directory where it is below it, else the file's name."""
    path = Path(config_path)
    if path.is_absolute():
        here = Path.cwd()
        path = path.relative_to(here) if path.is_relative_to(here) else Path(path.name)
    return path


def run_path(config_path, overrides, seed):
    """Where the run of a config goes: `<config path>[/<hash of overrides>]/seed-<n>`.

    The seed is in the path by name, not in the hash; what decides nothing of the result
    is in neither. A leading `configs/` goes.
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
