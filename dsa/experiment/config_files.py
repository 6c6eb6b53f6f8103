"""Config files by their names: those of the user, and those of the package."""

import os
from pathlib import Path

from dsa.system.folders import find_bundled

FOLDER = "configs"


def find_config(name: str | Path) -> Path:
    """Returns the file that a config's name stands for: the file of this name, else
    the config of this name that comes with the package.

    Args:
        name: such as `mine.yaml`; of the package also `mini/dsa`, without `configs/`
            and `.yaml`.

    Returns: the path; the name itself if neither is there.

    Raises: `InputError` if it is no file here and the package lacks its configs.
    """
    path = Path(name)
    if os.path.isfile(path) or path.is_absolute():
        return path
    bundled = find_bundled() / _name_in_package(f"{strip_ending(path)}.yaml")
    return bundled if os.path.isfile(bundled) else path


def list_config_files(folder: str | Path) -> dict[str, Path]:
    """Returns the YAML files below a folder by the names that commands take; of a
    folder that is not here those that come with the package.

    Example:
        >>> list(list_config_files("configs/mini"))[0]
        'configs/mini/dsa.yaml'
    """
    base, folder = Path(), Path(folder)
    if not (os.path.isdir(folder) or folder.is_absolute()):
        base, folder = find_bundled(), _name_in_package(folder)
    paths = sorted(Path(base, folder).rglob("*.yaml"))
    return {str(path.relative_to(base)): path for path in paths}


def strip_ending(name: Path) -> Path:
    """Returns the name of a config file without `.yaml` or `.yml`."""
    return name.with_suffix("") if name.suffix in (".yaml", ".yml") else name


def _name_in_package(name: str | Path) -> Path:
    """A name below `configs/`, which it may leave out."""
    parts = Path(name).parts
    return Path(FOLDER, *(parts[1:] if parts[:1] == (FOLDER,) else parts))
