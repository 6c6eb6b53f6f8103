"""What an installed package holds besides its modules, as setup.py states it."""

import ast
import pathlib
import re
import sys

from packaging.requirements import Requirement

from tests.support.setup_file import read_setup

PACKAGE = pathlib.Path("dsa")
MODULES = {"pyyaml": "yaml", "scikit-learn": "sklearn"}  # where another than the name
OPTIONAL = {"pandas"}  # used where a user has it
UNBOUNDED = {"packaging", "pyarrow"}  # many major versions, which rarely break


def list_requirements():
    """Every requirement of setup.py, of the package and of its extras."""
    words = read_setup()
    extras = words["extras_require"].values()
    return list(map(Requirement, [*words["install_requires"], *sum(extras, [])]))


def test_every_imported_package_is_declared():
    imported = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition(".")[0])
    others = imported - {*sys.stdlib_module_names, "dsa"} - OPTIONAL
    declared = {MODULES.get(r.name, r.name) for r in list_requirements()}
    assert {"keras", "yaml", "ray"} <= others
    assert others - {re.sub("-", "_", name) for name in declared} == set()


def test_every_requirement_has_a_least_and_a_most():
    for requirement in list_requirements():
        operators = {part.operator for part in requirement.specifier}
        assert operators >= {">="}, requirement
        assert "<" in operators or requirement.name in UNBOUNDED, requirement


def test_every_file_of_the_package_is_installed():
    named = {
        path
        for package, names in read_setup()["package_data"].items()
        for name in names
        for path in pathlib.Path(*package.split(".")).glob(name)
    }
    files = {
        path
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".py"
    }
    assert named == files
    assert {PACKAGE / "py.typed", PACKAGE / "hub/mini.zip"} <= named


def test_every_folder_of_modules_is_a_package():
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [
        folder for folder in folders if not (folder / "__init__.py").is_file()
    ] == []
