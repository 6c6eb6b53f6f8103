"""Tests of the standard error of a command during the start of TensorFlow."""

import os
import pathlib
import subprocess
import sys

import keras
import pytest

from dsa.backends import keras_import

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="log lines of TensorFlow"
)
RUN = pathlib.Path("tests/support/run_of_0_1_0/run")


def standard_error(**environment):
    completed = subprocess.run(
        [sys.executable, "-m", "dsa.commands", "predict", RUN, "A man.", "A man."],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "", **environment},
        capture_output=True,
        text=True,
    )
    assert completed.returncode == 0 and "entailment" in completed.stdout
    return completed.stderr


def test_a_command_hides_the_log_lines_of_tensorflow():
    assert standard_error(TF_CPP_MIN_LOG_LEVEL="3") == ""


LIBRARY = """
import dsa, sys
for count in range(1, 7):  # TensorFlow warns after five
    model = dsa.load(sys.argv[1])
    model.predict([("A man sleeps. " * count, "A man.")])
"""


@pytest.mark.slow
def test_the_library_hides_the_log_lines_of_tensorflow():
    completed = subprocess.run(
        [sys.executable, "-c", LIBRARY, RUN],
        env={k: v for k, v in os.environ.items() if k != "TF_CPP_MIN_LOG_LEVEL"},
        capture_output=True,
        text=True,
    )
    assert (completed.returncode, completed.stderr) == (0, "")


@pytest.mark.slow
def test_the_log_lines_appear_at_the_debug_level():
    assert standard_error(DSA_LOG="debug") != ""


def test_the_log_lines_appear_after_a_failed_start(capfd):
    with pytest.raises(ImportError), keras_import.hidden_standard_error():
        os.write(2, b"the reason\n")
        raise ImportError
    assert capfd.readouterr().err == "the reason\n"
    with keras_import.hidden_standard_error():
        os.write(2, b"chatter\n")
    assert capfd.readouterr().err == ""
