"""What an installed package holds besides its modules, as setup.py states it."""

import ast
import pathlib

PACKAGE = pathlib.Path("dsa")


def read_package_data():
    """`package_data` of the call of `setup`."""
    tree = ast.parse(pathlib.Path("setup.py").read_text(encoding="utf-8"))
    (call,) = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "setup"
    ]
    (data,) = [word.value for word in call.keywords if word.arg == "package_data"]
    return ast.literal_eval(data)


def test_every_file_of_the_package_is_installed():
    named = {
        path
        for package, names in read_package_data().items()
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
