"""What importing the package does."""

import os
import subprocess
import sys

import pytest

import dsa


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


def test_the_entrance_is_imported_when_it_is_used_and_without_keras():
    code = (
        "import sys, dsa; assert 'dsa.api' not in sys.modules\n"
        "assert {*dsa.__all__} <= {*dir(dsa)}; from dsa import load, train\n"
        "assert load is dsa.api.load and train is dsa.api.train\n"
        "assert not {'keras', 'tensorflow'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="module 'dsa' has no attribute 'lod'"):
        dsa.lod  # noqa: B018
