"""YAML files that hold one experiment each, and what is wrong with them."""

import contextlib
import copy
import difflib
import hashlib
import json
import re
import reprlib
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from yaml.composer import ComposerError

from dsa.config_section import Section, shorten
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.config_files import find_config, strip_ending
from dsa.experiment.data_config import DataConfig, find_options, rename_option
from dsa.models.model_config import ModelConfig
from dsa.models.registry import FAMILIES
from dsa.system.reading import open_regular

NUMBER_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
PLAIN_NUMBER = re.compile(  # 50_000 is one, 013, 1:30 and 1_0 are not
    r"""[-+]? ( 0 | [1-9][0-9]* | [1-9][0-9]{0,2}(_[0-9]{3})+ | 0x[0-9a-fA-F]+ | 0b[01]+
    | ([0-9]+\.[0-9]* | \.[0-9]+) ([eE][-+]?[0-9]+)? | \.(inf|Inf|INF|nan|NaN|NAN) )""",
    re.VERBOSE,
)

NOT_HASHED = ("seed", "training.track")  # overrides, in the path of a run


class _Loader(yaml.SafeLoader):
    """YAML without what an experiment has no use for: a key given twice (PyYAML keeps
    the last one silently), aliases (a few lines of them fill the memory), and numbers
    that are not what they seem: in YAML 1.1 `013` is 11, `1:30` is 90."""

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise ComposerError(
                None, None, "aliases are not supported", event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_scalar(self, node):
        if node.tag in NUMBER_TAGS and not PLAIN_NUMBER.fullmatch(node.value):
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"{shorten(node.value)} is no plain number: write decimal digits, or "
                "quotation marks around a text",
                node.start_mark,
            )
        return super().construct_scalar(node)

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if isinstance(key.value, str) and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key '{key.value}' is given twice", key.start_mark
                )
            seen.add(key.value if isinstance(key.value, str) else id(key))
        return super().construct_mapping(node, deep)


def parse_yaml(text, source):
    """The content of a YAML text; `source` names it in errors.

    Raises: `InputError`, with the line where one is known.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506, a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InputError(f"{source}{line}: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = str(error).split("\n")[0] or type(error).__name__
        raise InputError(f"{source}: not readable as YAML: {reason}") from error


def parse_overrides(assignments):
    """`["training.batch_size=128"]` to `{"training.batch_size": 128}`.

    Raises: `InputError` for another form, and where one assignment would undo another:
        a key that is given twice, or a section and a key in it.
    """
    overrides = {}
    for assignment in assignments:
        key, separator, value = assignment.partition("=")
        if not separator or not all(key.split(".")):
            raise InputError(f"--set takes 'key.key=value'. Received: '{assignment}'")
        for earlier in overrides:
            _check_overlap(earlier, key)
        overrides[key] = parse_yaml(value, f"--set {key}")
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
        raise InputError(f"--set {key} is given twice")
    section, inner = sorted((earlier, key), key=len)
    if inner.startswith(f"{section}."):
        raise InputError(
            f"--set {section} and --set {inner}: the one would undo the other. Set "
            "the section or the keys in it"
        )


def _apply(settings, overrides, source):
    for key, value in overrides.items():
        *sections, last = key.split(".")
        section = settings
        for name in sections:
            section = section.setdefault(name, {})
            if not isinstance(section, dict):
                raise InputError(f"{source}: --set {key}: '{name}' has no keys")
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
    try:
        with open_regular(find_config(path)) as file:
            text = file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not readable: {_reason(error)}") from error
    settings = parse_yaml(text, path)
    if not isinstance(settings, dict):
        raise InputError(f"{path}: not an experiment: a mapping of sections is needed")
    _apply(settings, overrides or {}, path)
    return check_experiment(settings, path, root)


def experiment_of(settings, overrides=None, source="config", root=None):
    """The `Experiment` of a dictionary of settings, which stays as it is.

    Args and raises: as `load_experiment`; `source` names the settings in errors.
    """
    settings = copy.deepcopy(settings)
    _apply(settings, overrides or {}, source)
    return check_experiment(settings, source, root)


def check_experiment(settings, source, root=None):
    """The `Experiment` of a dictionary of settings; `source` names it in errors."""
    try:
        return Experiment.model_validate(settings, context={"data_root": root})
    except ValidationError as error:
        lines = [_explain(fault, settings) for fault in error.errors()]
        raise InputError("\n".join(f"{source}: {line}" for line in lines)) from error


def _reason(error):
    return getattr(error, "strerror", None) or str(error)


def _explain(error, settings):
    """One line about one pydantic error, in terms of the YAML file."""
    keys = _keys_of(error["loc"], settings)
    key = ".".join(keys)
    if error["type"] == "extra_forbidden":
        moved = rename_option(keys[-1]) if keys[:-1] == ["data"] else None
        if moved:
            return f"unknown key '{key}'. It is called '{moved}'"
        known = _known_keys(keys[:-1], settings)
        near = difflib.get_close_matches(keys[-1], known, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}"
        return f"unknown key '{key}'. {hint}"
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

    The seed is in the path by name, not in the hash; the trackers are in neither. A
    leading `configs/` goes.
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
