"""The lock files contain the requirements of setup.py, once each, with hashes."""

import re

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from tests.support.setup_file import read_setup
from tools.lock_environments import ENVIRONMENTS, FOLDER, ROOT, read_lock

by_environment = pytest.mark.parametrize("name", ENVIRONMENTS)


def normalize(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@by_environment
def test_the_locked_versions_are_among_those_of_setup(name):
    words, locked = read_setup(), read_lock(name)
    texts = [*words["install_requires"], "setuptools>=64"]
    for extra in ENVIRONMENTS[name][0]:
        texts += words["extras_require"][extra]
    for requirement in map(Requirement, [*texts, *ENVIRONMENTS[name][1]]):
        version = locked[normalize(requirement.name)]
        assert requirement.specifier.contains(version), requirement
    assert len(locked) > 40


@by_environment
def test_every_package_has_hashes_and_no_index_is_named(name):
    text = (FOLDER / f"{name}.txt").read_text()
    blocks = re.findall(
        r"^\S+==.*\n(?:    --hash=sha256:[0-9a-f]{64}.*\n)+", text, re.M
    )
    header, *others = text.split("\n", 1)
    assert header.startswith("#") and "".join(blocks) == others[0]
    assert "://" not in text and "index" not in text


def test_a_package_has_one_version_in_all_environments():
    """Except for packages with environment markers."""
    versions = {}
    for name in ENVIRONMENTS:
        text = (FOLDER / f"{name}.txt").read_text()
        for package, version, marker in re.findall(
            r"^([\w.-]+)==(\S+)(?: ; (.*?))? \\$", text, re.M
        ):
            if not marker or Marker(marker).evaluate():
                versions.setdefault(package, set()).add(version)
    assert {k: v for k, v in versions.items() if len(v) > 1} == {}


def test_only_environments_with_the_torch_extra_contain_pytorch():
    assert [name for name in ENVIRONMENTS if "torch" in read_lock(name)] == ["torch"]


def test_the_makefile_installs_every_environment():
    makefile = (ROOT / "Makefile").read_text()
    chosen = set(re.findall(r":= \.venv-([\w-]+)\n", makefile)) - {"lock"}
    assert chosen | {"tensorflow", "tensorflow-gpu"} == {*ENVIRONMENTS}
    assert ".venv-%/installed: setup.py constraints/%.txt\n" in makefile
    assert "ENVIRONMENT ?= tensorflow\n" in makefile
