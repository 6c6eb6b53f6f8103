"""Every family of the registry has a config and a build function."""

import importlib
import subprocess
import sys

import pytest

from dsa.models.registry import FAMILIES


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_and_its_config_have_the_same_name(name):
    family = FAMILIES[name]
    assert family.config.model_fields["name"].annotation.__args__ == (name,)
    assert callable(getattr(importlib.import_module(family.module), family.build_name))


def test_a_config_imports_only_its_own_family():
    code = (
        "import sys; from dsa.experiment.yaml_file import load_experiment;"
        "load_experiment('configs/mini/dsa.yaml');"
        "sys.exit('dsa.models.bcnn.config' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
