import os
import pathlib

import pytest

from dsa.errors import InputError
from dsa.system import folders
from dsa.system.folders import data_root, escape_name, find_bundled


def test_the_data_root_is_the_argument_else_the_variable_else_data(monkeypatch):
    monkeypatch.setenv("DSA_DATA", "elsewhere")
    assert str(data_root("here")) == "here"
    assert str(data_root()) == "elsewhere"
    monkeypatch.setenv("DSA_DATA", "")
    assert str(data_root()) == "data"


def test_an_empty_data_root_is_an_error():
    with pytest.raises(InputError, match="^data root: expected the name of a folder"):
        data_root("")


def test_bundled_files_are_inside_or_beside_the_package(tmp_path, monkeypatch):
    package = tmp_path / "site/dsa"
    monkeypatch.setattr(folders, "__file__", str(package / "system/folders.py"))
    with pytest.raises(InputError, match="lacks its configs and its bundled corpus"):
        find_bundled()
    for folder in (tmp_path / "site", package / "bundled"):
        (folder / "configs/mini").mkdir(parents=True)
        (folder / "data/mini").mkdir(parents=True)
        assert find_bundled() == folder


def test_a_name_that_is_not_utf_8_is_escaped():
    assert escape_name(pathlib.Path("a/é.yaml")) == "a/é.yaml"
    assert escape_name(os.fsdecode(b"a\xff.yaml")) == r"a\xff.yaml"
