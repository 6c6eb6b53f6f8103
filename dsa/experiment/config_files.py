"""Config files of the user and of the package: names, paths and settings."""

import difflib
import os
import shlex
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.system.folders import find_bundled
from dsa.system.reading import open_regular

CONFIG_FOLDER = "configs"
TABLES = "tables"  # subfolder with the rows of paper tables, not experiments
DATA_FILES = (".csv", ".tsv", ".jsonl", ".parquet")
MIN_SIMILARITY = 0.75  # minimum similarity of a suggested name, in [0, 1]


def find_config(name: str | Path) -> Path:
    """Returns the path of a config: an existing file or a config of the package.

    Args:
        name: path such as `mine.yaml`, or name of a config of the package such as
            `mini/dsa`, without `configs/` and `.yaml`.

    Returns: path of the file or of the config of the package; `name` as a path if
        neither exists.

    Raises: `InputError` if the file does not exist and the package has no configs.
    """
    path = Path(name)
    if os.path.isfile(path) or path.is_absolute():
        return path
    bundled = find_bundled() / _add_config_folder(f"{strip_ending(path)}.yaml")
    if os.path.isfile(bundled):
        return bundled
    return path


def list_config_files(folder: str | Path) -> dict[str, Path]:
    """Returns the YAML files below a folder by name, as accepted by commands.

    If the folder does not exist, the configs of the package are searched.

    Example:
        >>> list(list_config_files("configs/mini"))[0]
        'configs/mini/dsa.yaml'
    """
    base = Path()
    folder = Path(folder)
    if not (os.path.isdir(folder) or folder.is_absolute()):
        base = find_bundled()
        folder = _add_config_folder(folder)
    paths = sorted(
        path
        for path in Path(base, folder).rglob("*.yaml")
        if path.parent.parts[-2:] != (CONFIG_FOLDER, TABLES)
    )
    if not base.parts:
        return {str(path): path for path in paths}
    return {str(path.relative_to(base)): path for path in paths}


def read_settings(name: str | Path) -> dict:
    """Returns the settings of a config file, merged with its chain of `base` files.

    The path of a base is relative to the file with the key `base`.

    Raises: `InputError` if a file is a data file, is not readable or contains no
        settings, or if the bases form a cycle.
    """
    source = str(name)
    if Path(source.removesuffix(".gz")).suffix in DATA_FILES:
        raise InputError(
            f"{source}: a data file, expected a config (.yaml). To write configs for "
            f"it: dsa new-data {shlex.quote(source)}"
        )
    path = find_config(name)
    chain: list[dict] = []  # settings of the file and its bases
    seen: list[str] = []  # real paths of these files
    while True:
        settings = _read_mapping(path, source, is_base=bool(chain))
        base = settings.pop("base", None)
        chain.append(settings)
        seen.append(os.path.realpath(path))
        if base is None:
            break
        if not isinstance(base, str) or "\0" in base:
            raise InputError(
                f"{source}: 'base': expected the name of a file. Received: {base!r}"
            )
        path = path.parent / base
        if os.path.realpath(path) in seen:
            raise InputError(f"{source}: 'base': {base} is part of a cycle")
        source = f"{source}: 'base': {base}"
    merged = chain.pop()
    while chain:
        merged = _merge(merged, chain.pop())
    return merged


def _read_mapping(path, source, is_base):
    """Returns the content of a YAML file; raises `InputError` unless it is a mapping.

    Args:
        path: path of the file.
        source: name of the file for error messages.
        is_base: whether the file is the base of another config.
    """
    try:
        with open_regular(path) as file:
            settings = parse_yaml(file.read().decode("utf-8"), source)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, FileNotFoundError) and not is_base:
            reason += f". {_suggest(source)}`dsa list configs` lists all configs"
        raise InputError(f"{source}: not readable: {reason}") from error
    if not isinstance(settings, dict):
        raise InputError(f"{source}: expected a mapping of sections")
    return settings


def _suggest(name):
    """Returns "Did you mean ...? " for a similar config name, or ""."""
    known = {_get_short_name(path): path for path in list_config_files(CONFIG_FOLDER)}
    short_name = _get_short_name(name)
    similar = difflib.get_close_matches(short_name, known, 1, MIN_SIMILARITY)
    if not similar:
        return ""
    return f"Did you mean '{known[similar[0]]}'? "


def _get_short_name(name):
    """Returns the name of a config without `configs/` and `.yaml`."""
    return str(strip_ending(Path(name))).removeprefix(f"{CONFIG_FOLDER}/")


def _merge(base, settings):
    """Returns the settings of the base, overridden by `settings`.

    Sections are merged. A section with another `name` replaces the section of the base.
    """
    if not (isinstance(base, dict) and isinstance(settings, dict)):
        return settings
    if "name" in base and settings.get("name", base["name"]) != base["name"]:
        return settings
    merged = dict(base)
    for key, value in settings.items():
        merged[key] = _merge(base[key], value) if key in base else value
    return merged


def strip_ending(name: Path) -> Path:
    """Returns the name of a config file without `.yaml` or `.yml`."""
    if name.suffix in (".yaml", ".yml"):
        return name.with_suffix("")
    return name


def _add_config_folder(name: str | Path) -> Path:
    """Returns the path of a config with the leading folder `configs/`."""
    path = Path(name)
    if path.parts[:1] == (CONFIG_FOLDER,):
        return path
    return CONFIG_FOLDER / path
