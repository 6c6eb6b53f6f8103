"""Programs that JAX keeps. On a CPU, which is made to look like a GPU."""

import os
import subprocess
import sys

import keras
import pytest

pytestmark = pytest.mark.keras  # run on JAX in CI too

SCRIPT = """
import jax
from dsa.backends.compilation import keep_programs

if {gpu}:
    real, jax.default_backend = jax.default_backend, lambda: "gpu"
keep_programs()
if {gpu}:
    jax.default_backend = real
jax.jit(lambda x: x + 1)(1)
"""


@pytest.mark.skipif(keras.backend.backend() != "jax", reason="JAX's programs")
@pytest.mark.parametrize(
    ("gpu", "asked", "kept_in"),
    [
        (True, False, "cache/jax"),
        (True, True, "asked"),
        (False, False, None),
        (False, True, "asked"),
    ],
)
def test_programs_are_kept_where_it_is_safe_or_asked_for(tmp_path, gpu, asked, kept_in):
    environment = os.environ | {
        "DSA_CACHE": str(tmp_path / "cache"),
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "asked") if asked else "",
    }
    command = [sys.executable, "-c", SCRIPT.format(gpu=gpu)]
    subprocess.run(command, env=environment, check=True)
    folders = {str(p.parent.relative_to(tmp_path)) for p in tmp_path.rglob("*-cache")}
    assert folders == ({kept_in} if kept_in else set())
