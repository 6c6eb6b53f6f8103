"""A part of `make test-faults`."""

import os
import subprocess
import sys

import pytest

from tests.faults.layer import find_compiler

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_compiler() is None, reason="needs Linux and `cc`"),
]


@pytest.mark.parametrize(
    ("name", "share"), [("lock", 1), ("vectors", 0.1), ("checkpoint", 0.01)]
)
def test_no_failing_call_breaks_a_promise(name, share):
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", "--only", name, "--share", str(share)],
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("1 situations, 0 promises broken\n")
