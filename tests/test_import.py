"""What importing the package does."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("given", "expected"), [(None, "1"), ("0", "0")])
def test_onednn_is_on_unless_the_user_says_otherwise(given, expected):
    name = "TF_ENABLE_ONEDNN_OPTS"
    environment = {k: v for k, v in os.environ.items() if k != name}
    if given is not None:
        environment[name] = given
    code = f"import dsa, os, sys; print(os.environ['{name}'], 'keras' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{expected} False\n"
