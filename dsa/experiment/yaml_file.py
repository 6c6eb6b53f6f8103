"""Loads experiments from YAML files, with overrides."""

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from yaml.representer import SafeRepresenter

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.config_files import read_settings, strip_ending
from dsa.experiment.strict_yaml import parse_yaml, to_yaml_types
from dsa.experiment.validation_errors import (
    format_validation_error,
    has_unknown_model_key,
)
from dsa.parsing import parse_number

# overrides that are excluded from the hash in the run path
NOT_HASHED = ("seed", "training.track", "training.require_gpu")


def parse_overrides(assignments: Iterable[str]) -> dict[str, Any]:
    """Parses assignments such as `["training.batch_size=128"]`.

    Returns: overrides, such as `{"training.batch_size": 128}`.

    Raises: `InputError` if an assignment is malformed, a key is repeated, or a section
        is overridden together with one of its keys.
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


def format_assignments(overrides: Mapping[str, Any]) -> list[str]:
    """Formats overrides as arguments of `--set`, the inverse of `parse_overrides`.

    Example:
        >>> format_assignments({"training.learning_rate": 1e-5})
        ['training.learning_rate=1.0e-05']
    """
    return [f"{key}={_format_value(value)}" for key, value in overrides.items()]


def _format_value(value: Any) -> str:
    """Formats a value as YAML, with quotation marks only if they are required."""
    if isinstance(value, str) and _is_plain_text(value):
        return value
    return _format_flow_value(value)


def _format_flow_value(value: Any) -> str:
    """Formats a value as JSON, except for floats, which have the notation of YAML."""
    if isinstance(value, float):
        # `1.0e-05`, `.inf`: YAML 1.1 reads the JSON number `1e-05` as text
        return SafeRepresenter().represent_float(value).value
    if isinstance(value, list):
        return f"[{', '.join(_format_flow_value(item) for item in value)}]"
    if isinstance(value, dict):
        items = [
            f"{_format_flow_value(key)}: {_format_flow_value(item)}"
            for key, item in value.items()
        ]
        return f"{{{', '.join(items)}}}"
    return json.dumps(value, ensure_ascii=False)


def _is_plain_text(text: str) -> bool:
    """Returns whether YAML reads a text without quotation marks as the same text."""
    try:
        return parse_yaml(text, "override") == text
    except InputError:
        return False


def _check_overlap(key, other_key):
    """Raises `InputError` if keys are equal, or one is a section of the other."""
    if key == other_key:
        raise InputError(f"the setting '{key}' is given twice")
    section, inner = sorted((key, other_key), key=len)
    if inner.startswith(f"{section}."):
        raise InputError(
            f"conflicting settings '{section}' and '{inner}': set the section or "
            "keys of the section"
        )


def _apply_overrides(settings, overrides, source):
    """Sets the overridden keys in nested dictionaries, in place."""
    for key, other_key in itertools.combinations(overrides, 2):
        _check_overlap(key, other_key)
    for key, value in overrides.items():
        *sections, last = key.split(".")
        section = settings
        for name in sections:
            if section.get(name) is None:  # a missing or empty section
                section[name] = {}
            section = section[name]
            if not isinstance(section, dict):
                raise InputError(
                    f"{source}: cannot set '{key}': '{name}' is not a section"
                )
        section[last] = value


def load_experiment(
    path: str | Path,
    overrides: Mapping[str, Any] | None = None,
    root: str | Path | None = None,
) -> Experiment:
    """Loads an experiment from a YAML file.

    Args:
        path: path of the file, or name of a config of the package.
        overrides: overrides, such as `{"training.batch_size": 128}`.
        root: the data root. Absolute data paths require the root `/`.

    Returns: the `Experiment`.

    Raises: `InputError` if the file is not readable or a setting is invalid. The error
        contains the file, the key, the allowed values and, for an unknown key, the most
        similar key.
    """
    return parse_experiment(read_settings(path), overrides, path, root)


def parse_experiment(
    settings: Mapping[str, Any],
    overrides: Mapping[str, Any] | None = None,
    source: object = "config",
    root: str | Path | None = None,
) -> Experiment:
    """Applies overrides to a dictionary of settings, and returns the `Experiment`.

    Args:
        settings: nested dictionaries, which are not modified. Tuples, paths and NumPy
            values are converted by `to_yaml_types`.
        overrides, root: see `load_experiment`.
        source: name of the settings, for error messages.

    Raises: `InputError` if a setting is invalid, see `load_experiment`.
    """
    settings_copy: Any = to_yaml_types(settings)
    converted_overrides: Any = to_yaml_types(overrides or {})
    model = settings_copy.get("model")
    old_name = model.get("name") if isinstance(model, dict) else None
    _apply_overrides(settings_copy, converted_overrides, source)
    try:
        return Experiment.model_validate(settings_copy, context={"data_root": root})
    except ValidationError as error:
        new_name = converted_overrides.get("model.name", old_name)
        if old_name in (None, new_name) or not has_unknown_model_key(error):
            message = format_validation_error(error, settings_copy, source)
        else:
            message = (
                f"{source}: 'model.name={new_name}': the section 'model' has keys of "
                f"'{old_name}' that '{new_name}' does not support. Override the whole "
                f"section, for example --set 'model={{name: {new_name}}}'"
            )
        raise InputError(message) from error


def validate_settings(
    settings: Any, source: object, root: str | Path | None = None
) -> Experiment:
    """Validates settings, and returns the `Experiment`.

    Args:
        settings: nested dictionaries of YAML types.
        source: name of the settings, for error messages.
        root: see `load_experiment`.

    Raises: `InputError` if a setting is invalid, see `load_experiment`.
    """
    try:
        return Experiment.model_validate(settings, context={"data_root": root})
    except ValidationError as error:
        raise InputError(format_validation_error(error, settings, source)) from error


def get_display_path(config_path: str | Path) -> Path:
    """Returns the path of a config for records, without folders of this machine.

    An absolute path is converted to a path relative to the working directory. Outside
    the working directory, only the file name is returned.
    """
    path = Path(config_path)
    if not path.is_absolute():
        return path
    folder = Path.cwd()
    if path.is_relative_to(folder):
        return path.relative_to(folder)
    return Path(path.name)


def make_run_path(
    config_path: str | Path, overrides: Mapping[str, Any], seed: int
) -> Path:
    """Returns the default run folder,
    `runs/<config path>[/<hash of overrides>]/seed-<seed>`.

    The config path is relative to the working directory, without a leading `configs/`
    and the suffix. For a config outside the working directory, it consists of the file
    name and a hash of the absolute path. The hash of the overrides excludes
    `NOT_HASHED`. Numbers that YAML reads as text, such as `1e-5`, are hashed as
    numbers.
    """
    folder = Path.cwd()
    path = Path(os.path.abspath(config_path))
    if path.is_relative_to(folder):
        parts = list(strip_ending(path.relative_to(folder)).parts)
        if parts[0] == "configs" and len(parts) > 1:
            parts = parts[1:]
    else:
        digest = _compute_short_hash(os.fsencode(path))
        parts = [f"{strip_ending(path).name}-{digest}"]
    hashed = {
        key: _convert_numbers(value)
        for key, value in overrides.items()
        if key not in NOT_HASHED
    }
    if hashed:
        text = json.dumps(hashed, sort_keys=True)
        parts.append(_compute_short_hash(text.encode()))
    return Path("runs", *parts, f"seed-{seed}")


def _convert_numbers(value):
    """Converts numbers that YAML reads as text, such as `1e-5`, to floats."""
    if isinstance(value, dict):
        return {key: _convert_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_convert_numbers(item) for item in value]
    if isinstance(value, str) and _is_plain_text(value):
        try:
            return parse_number(value)
        except ValueError:
            return value
    return value


def _compute_short_hash(content):
    """Returns the first eight hexadecimal digits of the SHA-256."""
    return hashlib.sha256(content).hexdigest()[:8]
