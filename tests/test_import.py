"""What importing the package does, and what it leaves to the start of TensorFlow."""

import os
import subprocess
import sys

import pytest

NAME = "TF_ENABLE_ONEDNN_OPTS"


@pytest.mark.parametrize(
    ("code", "given", "expected"),
    [
        ("import dsa", None, None),
        ("import dsa.commands", None, "1"),
        ("import dsa.commands", "0", "0"),
        ("import dsa; dsa._prepare_tensorflow()", None, "1"),
    ],
)
def test_onednn_is_on_where_tensorflow_starts_here(code, given, expected):
    environment = {k: v for k, v in os.environ.items() if k != NAME}
    if given is not None:
        environment[NAME] = given
    code += f"; import os, sys; print(os.environ.get({NAME!r}), 'keras' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{expected} False\n"
