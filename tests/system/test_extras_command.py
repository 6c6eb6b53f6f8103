"""The command that installs an extra of the current installation."""

import shutil
import subprocess
import sys
from pathlib import Path

import dsa
from dsa.system.extras import format_install_command

ROOT = Path(dsa.__file__).parents[1]


def test_an_extra_of_a_checkout_is_installed_from_it():
    assert format_install_command("hub") == f"pip install -e '{ROOT}[hub]'"


def test_an_extra_of_an_installed_wheel_is_installed_with_the_wheel(tmp_path):
    shutil.copytree(
        ROOT / "dsa", tmp_path / "dsa", ignore=shutil.ignore_patterns("*.h5", "*.zip")
    )
    code = "from dsa.system.extras import format_install_command as c; print(c('hub'))"
    printed = subprocess.check_output(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}
    )
    wheel = f"dsa_nli-{dsa.__version__}-py3-none-any.whl"
    assert printed.decode().strip() == f"pip install '{wheel}[hub]'"
