"""What a command writes to standard error when TensorFlow starts."""

import os
import pathlib
import subprocess
import sys

import keras
import pytest

from dsa.backends import quiet_start

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="TensorFlow's lines"
)
RUN = pathlib.Path("tests/support/run_of_0_1_0/run")


def standard_error(**environment):
    done = subprocess.run(
        [sys.executable, "-m", "dsa.commands", "predict", RUN, "A man.", "A man."],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "", **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "entailment" in done.stdout
    return done.stderr


def test_a_command_starts_without_tensorflows_lines():
    assert standard_error(TF_CPP_MIN_LOG_LEVEL="3") == ""


LIBRARY = """
import dsa, sys
for count in range(1, 7):  # TensorFlow warns after five
    model = dsa.load(sys.argv[1])
    model.predict([("A man sleeps. " * count, "A man.")])
"""


@pytest.mark.slow
def test_the_library_writes_no_lines_of_tensorflows():
    done = subprocess.run(
        [sys.executable, "-c", LIBRARY, RUN],
        env={k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_they_appear_where_they_are_asked_for():
    assert standard_error(DSA_LOG="debug") != ""


def test_what_a_failing_start_wrote_is_passed_on(capfd):
    with pytest.raises(ImportError), quiet_start._hidden_standard_error():
        os.write(2, b"the reason\n")
        raise ImportError
    assert capfd.readouterr().err == "the reason\n"
    with quiet_start._hidden_standard_error():
        os.write(2, b"chatter\n")
    assert capfd.readouterr().err == ""
