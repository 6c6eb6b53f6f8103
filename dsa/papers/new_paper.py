"""Writes a package for a new model from the template `examples/new_paper/`."""

import importlib.util
import keyword
import os
import re
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.models.registry import find_family
from dsa.system.atomic_files import create_folder
from dsa.system.folders import find_bundled

TEMPLATE = "new_paper"


def write_new_paper(name: str, folder: Path | str) -> list[Path]:
    """Writes a Python package for a new model to a new folder.

    Args:
        name: name of the model and the package.
        folder: path of the new folder.

    Returns: the paths of the written files.

    Raises: `InputError` if the name is not a valid package name, is a YAML keyword such
        as `on`, or is the name of an existing model or package, or if the folder
        exists.
    """
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(
            "the name must be a valid package name: lower-case letters, digits and "
            f"'_', such as 'my_model'. Received: {name!r}"
        )
    if not isinstance(parse_yaml(name, "the name"), str):
        raise InputError(
            f"the name must be text in YAML. Received: {name}, which YAML reads as "
            "another value. Choose another name"
        )
    folder = Path(folder)
    if os.path.lexists(folder):
        raise InputError(f"{folder} already exists. Choose another --out")
    if find_family(name) or importlib.util.find_spec(name):
        raise InputError(f"'{name}' is the name of an existing model or package")
    template = find_bundled() / "examples" / TEMPLATE
    files = sorted(
        path.relative_to(template)
        for path in template.rglob("*")
        if path.suffix in {".py", ".toml", ".yaml"}
    )
    class_name = "".join(part.capitalize() for part in name.split("_"))
    with create_folder(folder) as temporary:
        for file in files:
            text = (template / file).read_text(encoding="utf-8")
            text = text.replace(TEMPLATE, name).replace("NewPaper", class_name)
            target = temporary / str(file).replace(TEMPLATE, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    return [folder / str(file).replace(TEMPLATE, name) for file in files]
