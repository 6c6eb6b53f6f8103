"""The folder of a paper that is to be written: a copy of `examples/new_paper/`."""

import importlib.util
import keyword
import os
import re
from pathlib import Path

from dsa.errors import InputError
from dsa.models.registry import find_family
from dsa.system.atomic_files import new_folder
from dsa.system.folders import find_bundled

EXAMPLE = "new_paper"


def write_new_paper(name: str, folder: Path | str) -> list[Path]:
    """Writes a package with a model `name` into a new folder; returns its files.

    Raises: `InputError` for a name that no new Python package or model can have, and
        for a folder that is there.
    """
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(
            "the name of a Python package is needed: small letters, digits and _, such "
            f"as 'my_model'. Received: {name!r}"
        )
    folder = Path(folder)
    if os.path.lexists(folder):
        raise InputError(f"{folder}: is there already. Choose another --out")
    if find_family(name) or importlib.util.find_spec(name):
        raise InputError(f"'{name}' is the name of another model or package here")
    example = find_bundled() / "examples" / EXAMPLE
    kinds = {".py", ".toml", ".yaml"}
    files = sorted(
        f.relative_to(example) for f in example.rglob("*") if f.suffix in kinds
    )
    with new_folder(folder) as room:
        for file in files:
            target = room / str(file).replace(EXAMPLE, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = (example / file).read_text(encoding="utf-8")
            target.write_text(_rename(text, name), encoding="utf-8")
    return [folder / str(file).replace(EXAMPLE, name) for file in files]


def _rename(text, name):
    """The text with the name in place of the example's, in both spellings."""
    camel = "".join(part.capitalize() for part in name.split("_"))
    return text.replace(EXAMPLE, name).replace("NewPaper", camel)
