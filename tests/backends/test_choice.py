import json
import os
import re
import subprocess
import sys

import pytest

from dsa.backends.choice import BACKENDS, check_backend
from dsa.errors import InputError
from dsa.system.extras import format_install_command

RUN = "tests/support/run_of_0_1_0/run"


def test_the_installed_backend_is_usable(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_BACKEND", os.environ.get("KERAS_BACKEND", "tensorflow"))
    check_backend()


@pytest.mark.parametrize("name", ["foo", "Jax", "numpy", " "])
def test_an_unknown_backend_is_an_error(monkeypatch, name):
    monkeypatch.setenv("KERAS_BACKEND", name)
    message = f"KERAS_BACKEND: unknown backend '{name}'. Known: {', '.join(BACKENDS)}"
    with pytest.raises(InputError, match=message):
        check_backend()


@pytest.mark.parametrize("name", BACKENDS)
def test_the_error_for_a_missing_backend_names_its_extra(monkeypatch, name):
    monkeypatch.setenv("KERAS_BACKEND", name)
    monkeypatch.setattr(sys, "path", [])
    command = format_install_command(name)
    message = f"the backend '{name}' is not installed. To install it: {command}"
    with pytest.raises(InputError, match=re.escape(message)):
        check_backend()


def test_the_backend_of_keras_json_is_checked(monkeypatch, tmp_path):
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (tmp_path / "keras.json").write_text(json.dumps({"backend": "theano"}))
    with pytest.raises(InputError, match="keras.json: unknown backend 'theano'"):
        check_backend()


def test_a_command_prints_the_error_in_one_line():
    completed = subprocess.run(
        [sys.executable, "-m", "dsa.commands", "predict", RUN, "A man.", "A man."],
        env={**os.environ, "KERAS_BACKEND": "foo"},
        capture_output=True,
        text=True,
    )
    assert completed.returncode == 2 and completed.stdout == ""
    assert completed.stderr.startswith("error: KERAS_BACKEND: unknown backend 'foo'")
    assert completed.stderr.count("\n") == 1
